// SPDX-License-Identifier: MIT
#include "job.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve::bench {
namespace {

JobOptions water(const testing_support::TemporaryFolder& folder) {
  std::ofstream(folder / "job.inp") << "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                                       "/h2o_631g.fcidump.gz\"\n[space]\nexcitation_level = 2\n";
  JobOptions options;
  options.input_file = (folder / "job.inp").string();
  return options;
}

TEST(BenchJob, FirstRowsAreTheLeadingSubmatrix) {
  const testing_support::TemporaryFolder folder;
  JobOptions options = water(folder);
  const CsrMatrix whole = build_csr(*load_job(options).rows);
  options.first_rows = 300;
  const BenchJob cut = load_job(options);
  ASSERT_EQ(cut.space->size(), 300);
  EXPECT_EQ(cut.space->num_references(), 1);
  const CsrMatrix part = build_csr(*cut.rows);
  for (std::size_t row = 0; row < 300; ++row) {
    auto at = static_cast<std::size_t>(whole.offsets[row]);
    for (auto k = static_cast<std::size_t>(part.offsets[row]);
         k < static_cast<std::size_t>(part.offsets[row + 1]); ++k, ++at) {
      ASSERT_EQ(part.columns[k], whole.columns[at]);
      ASSERT_NEAR(part.values[k], whole.values[at], 1e-13);
    }
    // Columns ascend: what the submatrix lacks lies to the right of it.
    ASSERT_TRUE(at == static_cast<std::size_t>(whole.offsets[row + 1]) || whole.columns[at] >= 300) << row;
  }
}

TEST(BenchJob, MoreFirstRowsThanThereAreAreRefused) {
  const testing_support::TemporaryFolder folder;
  JobOptions options = water(folder);
  options.first_rows = 1000000;
  EXPECT_THROW(load_job(options), InputError);
}

}  // namespace
}  // namespace cisolve::bench
