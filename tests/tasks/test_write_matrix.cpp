// SPDX-License-Identifier: MIT
#include "cisolve/tasks/export/exports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"
#include "sparse/listed_source.hpp"
#include "tasks/export/matrix_file.hpp"
#include "tasks/export/matrix_slabs.hpp"
#include "tasks/hamiltonian_of_job.hpp"

namespace cisolve {
namespace test_write_matrix {

using test::HamiltonianOfJob;
using test::TemporaryFolder;
using test::uneven_matrix;
using ::testing::HasSubstr;

/// Water, 6-31G, CISD: 1,000 rows or so.
CiConfig water(const TemporaryFolder& folder) {
  std::ofstream(folder / "job.inp") << "title = \"two\\nlines\"\n[integrals]\nfile = \"" CISOLVE_TEST_DATA
                                       "/h2o_631g.fcidump.gz\"\n[space]\nexcitation_level = 2\n";
  return read_ci_config(read_input(folder / "job.inp", {}));
}

using Elements = std::map<std::pair<std::int64_t, std::int64_t>, double>;

struct MarketFile {
  std::string banner;
  std::int64_t rows = 0, columns = 0, size = 0;
  Elements elements;
};

MarketFile read_market(const std::filesystem::path& file) {
  std::ifstream in(file);
  MarketFile result;
  std::getline(in, result.banner);
  while (in.peek() == '%') in.ignore(1000, '\n');
  in >> result.rows >> result.columns >> result.size;
  std::int64_t i = 0, j = 0;
  double value = 0.0;
  while (in >> i >> j >> value) result.elements[{i, j}] = value;
  EXPECT_TRUE(in.eof());
  return result;
}

Elements lower_triangle(const CsrMatrix& a) {
  Elements result;
  for (std::int64_t row = 0; row < a.num_rows; ++row) {
    const std::size_t at = row;
    for (std::size_t k = a.offsets[at]; k < static_cast<std::size_t>(a.offsets[at + 1]); ++k) {
      if (a.columns[k] <= row) result[{row + 1, a.columns[k] + 1}] = a.values[k];
    }
  }
  return result;
}

template <class T>
std::vector<T> copy_of(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

TEST(WriteMatrix, Hdf5HoldsTheRowsOfTheHamiltonian) {
  const TemporaryFolder folder;
  const CiConfig config = water(folder);
  const HamiltonianOfJob job(config);
  const CsrMatrix a = build_csr(*job.rows);
  std::ostringstream report;
  write_matrix(config, folder / "h.h5", {}, report);
  EXPECT_EQ(folder.size(), 2U);  // nothing temporary stays
  EXPECT_THAT(report.str(), HasSubstr("h.h5"));

  const Hdf5File file = Hdf5File::open(folder / "h.h5");
  const Hdf5Group root = file.root();
  EXPECT_EQ(root.read_attribute<std::string>("format"), "cisolve-matrix");
  EXPECT_EQ(root.read_attribute<std::int64_t>("rows"), a.num_rows);
  EXPECT_EQ(root.read_attribute<std::int64_t>("nonzeros"), a.num_nonzeros());
  EXPECT_EQ(root.read_attribute<std::int64_t>("reference_dimension"), 1);
  EXPECT_EQ(root.read<std::int64_t>("indptr").values, copy_of(a.offsets));
  EXPECT_EQ(root.read<std::int32_t>("indices").values, copy_of(a.columns));
  EXPECT_EQ(root.read<double>("data").values, copy_of(a.values));

  const Hdf5Group space = root.open_group("space");
  const auto alpha = space.read<std::uint64_t>("alpha").values;
  const auto beta = space.read<std::uint64_t>("beta").values;
  const auto expected = make_space(job.job.selection);
  ASSERT_EQ(std::ssize(alpha), expected->size());
  for (std::int64_t row = 0; row < expected->size(); ++row) {
    const auto d = expected->determinant(row);
    ASSERT_EQ(alpha[row], d.alpha.words[0]);
    ASSERT_EQ(beta[row], d.beta.words[0]);
  }
}

TEST(WriteMatrix, OverCsfsHoldsTheirSteps) {
  const TemporaryFolder folder;
  CiConfig config = water(folder);
  config.basis = BasisChoice::csf;
  std::ostringstream report;
  write_matrix(config, folder / "h.h5", {}, report);
  const Hdf5File file = Hdf5File::open(folder / "h.h5");
  const std::size_t rows = file.root().read_attribute<std::int64_t>("rows");
  const Hdf5Group space = file.root().open_group("space");
  const auto steps = space.read<std::uint8_t>("steps");
  const std::size_t norb = space.read_attribute<std::int32_t>("n_orbitals");
  ASSERT_EQ(steps.shape, (Hdf5Shape{rows, norb}));
  // Row 0 is the closed-shell reference; every row holds ten electrons in a singlet.
  for (std::size_t row = 0; row < rows; ++row) {
    int electrons = 0, two_s = 0;
    for (std::size_t p = 0; p < norb; ++p) {
      const int step = steps.values[row * norb + p];
      electrons += step == 3 ? 2 : step == 0 ? 0 : 1;
      two_s += step == 1 ? 1 : step == 2 ? -1 : 0;
      if (row == 0) {
        EXPECT_EQ(step, p < 5 ? 3 : 0);
      }
    }
    EXPECT_EQ(electrons, 10);
    EXPECT_EQ(two_s, 0);
  }
  EXPECT_FALSE(space.contains("alpha"));
}

TEST(WriteMatrix, MatrixMarketHoldsTheLowerTriangleToTheLastBit) {
  const TemporaryFolder folder;
  const CiConfig config = water(folder);
  const CsrMatrix a = build_csr(*HamiltonianOfJob(config).rows);
  std::ostringstream report;
  write_matrix(config, folder / "h.mtx", {}, report);
  EXPECT_EQ(folder.size(), 2U);
  const MarketFile found = read_market(folder / "h.mtx");
  EXPECT_EQ(found.banner, "%%MatrixMarket matrix coordinate real symmetric");
  EXPECT_EQ(found.rows, a.num_rows);
  EXPECT_EQ(found.columns, a.num_rows);
  EXPECT_EQ(found.size, std::ssize(found.elements));
  EXPECT_EQ(found.elements, lower_triangle(a));
  EXPECT_EQ(2 * found.size - a.num_rows, a.num_nonzeros());  // no diagonal element of water vanishes
}

TEST(WriteMatrix, VanishingDiagonalElementsAreNotCounted) {
  const TemporaryFolder folder;
  const test::ListedSource source({{{1}, {2.0}}, {{0, 1}, {2.0, -0.1}}, {{}, {}}});
  write_matrix_market(folder / "a.mtx", source, count_rows(source), {});
  const MarketFile found = read_market(folder / "a.mtx");
  EXPECT_EQ(found.size, 2);
  EXPECT_EQ(found.elements, (Elements{{{2, 1}, 2.0}, {{2, 2}, -0.1}}));
}

TEST(WriteMatrix, SlabsCoverTheMatrixWhateverTheirSize) {
  const auto source = uneven_matrix(333);
  const CsrMatrix a = build_csr(source);
  const auto lengths = count_rows(source);
  for (const std::int64_t most : {std::int64_t{1}, std::int64_t{100}, nonzeros_per_slab}) {
    std::int64_t next_row = 0;
    std::vector<ColumnIndex> columns;
    std::vector<double> values;
    double progress = 0.0;
    BuildOptions options;
    options.progress = [&](double fraction) {
      EXPECT_GE(fraction, progress);
      progress = fraction;
    };
    for_each_slab(
        source, lengths, options,
        [&](const MatrixSlab& slab) {
          EXPECT_EQ(slab.rows.first, next_row);
          EXPECT_EQ(slab.first_nonzero, std::ssize(values));
          EXPECT_TRUE(std::ssize(slab.values) <= most || slab.rows.size() == 1);
          next_row = slab.rows.last;
          columns.insert(columns.end(), slab.columns.begin(), slab.columns.end());
          values.insert(values.end(), slab.values.begin(), slab.values.end());
        },
        most);
    EXPECT_EQ(next_row, a.num_rows);
    EXPECT_EQ(columns, copy_of(a.columns));
    EXPECT_EQ(values, copy_of(a.values));
    EXPECT_NEAR(progress, 1.0, 1e-12);
  }
}

TEST(WriteMatrix, StopsWithoutAFile) {
  const TemporaryFolder folder;
  const CiConfig config = water(folder);
  std::stop_source stop;
  stop.request_stop();
  RunControl control;
  control.stop = stop.get_token();
  std::ostringstream report;
  EXPECT_THROW(write_matrix(config, folder / "h.h5", control, report), Interrupted);
  const auto source = uneven_matrix(20);
  BuildOptions options;
  options.stop = stop.get_token();
  EXPECT_THROW(write_matrix_market(folder / "h.mtx", source, count_rows(source), {}, options), Interrupted);
  EXPECT_EQ(folder.size(), 1U);
}

TEST(WriteMatrix, OtherEndingsAreRefused) {
  for (const char* name : {"h", "h.txt", "h.mtx.gz", ".h5"}) {
    EXPECT_THROW(require_matrix_file_name(name), InputError) << name;
  }
  EXPECT_NO_THROW(require_matrix_file_name("folder/h.h5"));
  EXPECT_NO_THROW(require_matrix_file_name("h.mtx"));
}

}  // namespace test_write_matrix
}  // namespace cisolve
