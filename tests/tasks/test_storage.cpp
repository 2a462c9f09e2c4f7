// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "io/temporary_folder.hpp"
#include "problem/planners.hpp"
#include "tasks/hamiltonian_of_job.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_storage {

/// Water with a complete active space of four orbitals as reference, and single excitations from it.
CiConfig multireference_job() {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump";
  config.reference = CasReference{.electrons = 4, .num_orbitals = 4, .orbitals = {}};
  config.excitation_level = 1;
  config.device = DeviceChoice::cpu;
  config.output_file = test::process_folder() / "storage.h5";
  config.checkpoint_file = test::process_folder() / "storage.chk.h5";
  return config;
}

/// Nonzeros on both sides of a column, and the most that a row has on the left.
class BoundarySink final : public RowSink {
public:
  explicit BoundarySink(std::int64_t boundary) : boundary_(boundary) {}
  void row(const MatrixRow& row) override {
    const auto below = std::count_if(row.columns.begin(), row.columns.end(),
                                     [&](ColumnIndex column) { return column < boundary_; });
    most_left = std::max<std::int64_t>(most_left, below);
    right += std::ssize(row.columns) - below;
  }
  std::int64_t most_left = 0;
  std::int64_t right = 0;

private:
  std::int64_t boundary_;
};

TEST(Storage, TheBoundaryMayBeThatOfTheReferenceColumns) {
  CiConfig config = multireference_job();
  config.storage = "hybrid";
  config.ell_by_reference = true;
  const CiResult by_columns = run_and_read(config);
  config.ell_by_reference = false;
  const CiResult by_width = run_and_read(config);
  std::filesystem::remove(config.output_file);

  const test::HamiltonianOfJob h(config);
  const std::int64_t references = h.problem.basis->summary().reference_dimension;
  ASSERT_GT(references, 1);
  ASSERT_LT(references, h.rows->num_rows());
  BoundarySink expected(references);
  h.rows->fill({0, h.rows->num_rows()}, expected);
  EXPECT_EQ(by_columns.sectors[0].space.reference_dimension, references);
  EXPECT_EQ(by_columns.sectors[0].hamiltonian.ell_width, expected.most_left);
  EXPECT_EQ(by_columns.sectors[0].hamiltonian.tail_nonzeros, expected.right);
  EXPECT_NE(by_width.sectors[0].hamiltonian.tail_nonzeros, expected.right);
  constexpr double twice_the_error =
      2e-10;  // of energies with residuals of 1e-6, gaps of 0.1 hartree and more
  ASSERT_EQ(by_columns.roots.size(), by_width.roots.size());
  EXPECT_NEAR(by_columns.root(0).energy, by_width.root(0).energy, twice_the_error);
}

struct SizedSpace {
  std::string name;
  std::string file;
  int excitation_level;
  std::size_t one_in = 1;  ///< determinants kept: a list if not all
};

void PrintTo(const SizedSpace& space, std::ostream* out) { *out << space.name; }

class CodedBytes : public testing::TestWithParam<SizedSpace> {};

TEST_P(CodedBytes, AreForetoldFromASample) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / GetParam().file;
  config.excitation_level = GetParam().excitation_level;
  const test::HamiltonianOfJob h(config);
  std::unique_ptr<Space<string_words>> list;
  std::unique_ptr<RowSource> list_rows;
  if (GetParam().one_in > 1) {
    const auto space = make_space(with_words<string_words>(h.job.selection));
    std::vector<Determinant<string_words>> all(space->size());
    space->enumerate(0, all);
    std::mt19937_64 engine(7);
    std::erase_if(all, [&](const auto&) { return engine() % GetParam().one_in != 0; });
    list = std::make_unique<ListSpace<string_words>>(all, h.problem.tables->num_orbitals(), any_irrep, 1,
                                                     std::vector<std::int64_t>{});
    list_rows = make_row_source(*list, *h.problem.tables);
  }
  const RowSource& rows = list_rows ? *list_rows : *h.rows;
  const std::vector<std::int64_t> lengths = count_rows(rows);
  FormatOptions options;
  options.coded = sample_coded(rows);
  const StorageFormat& format = *find_storage_format("coded");
  const auto bytes = static_cast<double>(format.build(rows, lengths, options, {})->bytes());
  const auto foretold = static_cast<double>(format.bytes_for(lengths, options));
  constexpr double promised = 0.1;  // by estimate_coded_bytes
  EXPECT_NEAR(foretold / bytes, 1.0, promised) << rows.num_rows() << " rows, without a sample "
                                               << static_cast<double>(format.bytes_for(lengths, {})) / bytes;
}

INSTANTIATE_TEST_SUITE_P(
    Spaces, CodedBytes,
    testing::Values(SizedSpace{"h2o_level_3", "h2o_631gd.fcidump.gz", 3},
                    SizedSpace{"h10_level_4", "h10_chain_sto3g.fcidump.gz", 4},
                    SizedSpace{"n2_level_2", "n2_ccpvdz_fc.fcidump.gz", 2},
                    SizedSpace{"h12_level_3", "h12_sto3g.fcidump.gz", 3},
                    SizedSpace{"half_of_h2o_level_3", "h2o_631gd.fcidump.gz", 3, 2},
                    SizedSpace{"tenth_of_h10_full", "h10_chain_sto3g.fcidump.gz", full_excitation, 10},
                    SizedSpace{"h10_full", "h10_chain_sto3g.fcidump.gz", full_excitation, 1},
                    SizedSpace{"quarter_of_h12_level_3", "h12_sto3g.fcidump.gz", 3, 4}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(StorageChoice, TakesWhatIsFasterOnAGpuAndFits) {
  constexpr std::int64_t room = 100'000'000'000;
  // CISDTQ of water: 2.8 GB as hybrid, 1.0 GB coded.
  EXPECT_EQ(best_on_cuda(2'807'000'000, 1'007'000'000, 7038, room).name, "coded");
  // Values of which few repeat, as CSFs have: coded saves too little.
  EXPECT_EQ(best_on_cuda(1'000'000'000, 900'000'000, 20'000, room).name, "hybrid");
  // A dictionary that shared memory cannot hold.
  EXPECT_EQ(best_on_cuda(2'807'000'000, 1'007'000'000, 32'767, room).name, "hybrid");
  // A device without room for what would be faster.
  EXPECT_EQ(best_on_cuda(2'807'000'000, 1'007'000'000, 32'767, 2'000'000'000).name, "coded");
}

}  // namespace test_storage
}  // namespace cisolve
