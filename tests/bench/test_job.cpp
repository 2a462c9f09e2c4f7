// SPDX-License-Identifier: MIT
#include "job.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve::bench {
namespace test_job {

JobOptions water(const test::TemporaryFolder& folder) {
  std::ofstream(folder / "job.inp") << "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                                       "/h2o_631g.fcidump.gz\"\n[space]\nexcitation_level = 2\n";
  JobOptions options;
  options.input_file = (folder / "job.inp").string();
  return options;
}

TEST(BenchJob, FirstRowsAreTheLeadingSubmatrix) {
  const test::TemporaryFolder folder;
  JobOptions options = water(folder);
  const CsrMatrix whole = build_csr(*load_job(options).rows);
  options.first_rows = 300;
  const BenchJob cut = load_job(options);
  ASSERT_EQ(cut.rows->num_rows(), 300);
  EXPECT_EQ(cut.problem->basis->summary().reference_dimension, 1);
  const CsrMatrix part = build_csr(*cut.rows);
  for (std::size_t row = 0; row < 300; ++row) {
    std::size_t at = whole.offsets[row];
    for (std::size_t k = part.offsets[row]; k < static_cast<std::size_t>(part.offsets[row + 1]); ++k, ++at) {
      ASSERT_EQ(part.columns[k], whole.columns[at]);
      ASSERT_NEAR(part.values[k], whole.values[at], 1e-13);
    }
    // Columns ascend: what the submatrix lacks lies to the right of it.
    ASSERT_TRUE(at == static_cast<std::size_t>(whole.offsets[row + 1]) || whole.columns[at] >= 300) << row;
  }
}

TEST(BenchJob, MoreFirstRowsThanThereAreAreRefused) {
  const test::TemporaryFolder folder;
  JobOptions options = water(folder);
  options.first_rows = 1000000;
  EXPECT_THROW(load_job(options), InputError);
}

void expect_rows_by_definition(const BenchJob& job) {
  const CsrMatrix h = build_csr(*job.rows);
  constexpr std::int64_t step = 17;
  for (std::int64_t row = 0; row < job.rows->num_rows(); row += step) {
    std::vector<double> found(job.rows->num_rows(), 0.0);
    for (std::size_t k = h.offsets[row]; k < static_cast<std::size_t>(h.offsets[row + 1]); ++k) {
      found[h.columns[k]] = h.values[k];
    }
    const std::vector<double> expected = job.row_by_definition(row);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t j = 0; j < found.size(); ++j)
      ASSERT_NEAR(found[j], expected[j], 1e-11) << row << ' ' << j;
  }
}

TEST(BenchJob, RowsAreThoseOfTheDefinitionInEitherBasis) {
  const test::TemporaryFolder folder;
  JobOptions options = water(folder);
  options.settings = {"states.irrep=1"};
  const BenchJob determinants = load_job(options);
  expect_rows_by_definition(determinants);
  for (const char* multiplicity : {"1", "3"}) {
    options.settings = {"states.irrep=1", "space.basis=\"csf\"",
                        std::string("states.multiplicity=") + multiplicity};
    const BenchJob csfs = load_job(options);
    EXPECT_NE(csfs.name.find(" CSFs"), std::string::npos);
    expect_rows_by_definition(csfs);
  }
}

TEST(BenchJob, SubsetsOfCsfsAreRefused) {
  const test::TemporaryFolder folder;
  JobOptions options = water(folder);
  options.settings = {"space.basis=\"csf\""};
  options.random_rows = 0.5;
  EXPECT_THROW(load_job(options), InputError);
}

}  // namespace test_job
}  // namespace cisolve::bench
