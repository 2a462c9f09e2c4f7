// SPDX-License-Identifier: MIT
// Files that cisolve 0.1.0 wrote, beside what `cisolve show` prints of them: what that version found, in the layout of
// today's report. The input of each is in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/result_vectors.hpp"

namespace cisolve {
namespace test_earlier_files {

const std::filesystem::path folder = std::filesystem::path(CISOLVE_TEST_DATA) / "results-0.1.0";

std::string report_of(const CiResult& result) {
  std::ostringstream out;
  print_report(out, result);
  return out.str();
}

class FilesOfVersion010 : public testing::TestWithParam<std::string> {};

TEST_P(FilesOfVersion010, GiveTheSameReport) {
  std::ostringstream out;
  const bool of_each_point = GetParam() == "scan";
  show_result(folder / (GetParam() + ".h5"), out, of_each_point);
  std::ifstream expected(folder / (GetParam() + ".txt"));
  EXPECT_EQ(out.str(), std::string(std::istreambuf_iterator<char>(expected), {}));
}

TEST_P(FilesOfVersion010, AreReadWithTheirVectorsAndWrittenAgain) {
  const auto file = folder / (GetParam() + ".h5");
  const CiResult result = holds_scan(file) ? read_scan_point(file, 2, true) : read_result(file, true);
  const test::TemporaryFolder scratch;
  write_result(scratch / "again.h5", result);
  const CiResult again = read_result(scratch / "again.h5", true);
  EXPECT_EQ(report_of(again), report_of(result));
  ASSERT_EQ(again.sectors.size(), result.sectors.size());
  for (std::size_t s = 0; s < result.sectors.size(); ++s) {
    const CiResult::Sector& sector = result.sectors[s];
    const std::vector<double> vectors = test::vectors_of(sector);
    EXPECT_EQ(test::vectors_of(again.sectors[s]), vectors);
    const std::size_t n = sector.space.dimension;
    ASSERT_EQ(vectors.size(), n * sector.roots.size());
    for (std::size_t k = 0; k < sector.roots.size(); ++k) {
      double norm = 0.0;
      for (std::size_t i = 0; i < n; ++i) norm += vectors[k * n + i] * vectors[k * n + i];
      EXPECT_NEAR(norm, 1.0, 1e-12);  // n of about a thousand: rounding of the sum is below 1e-13
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FilesOfVersion010,
                         testing::Values("single", "sectors", "csf", "properties", "scan"),
                         [](const auto& named) { return named.param; });

/// An exponent that was changed: without a seal nothing else tells.
TEST(DamagedFiles, AVectorThatIsNotFiniteIsRefused) {
  const auto file = std::filesystem::path(CISOLVE_TEST_DATA) / "damaged" / "vector_not_finite.h5";
  try {
    read_result(file, true);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("vector_not_finite.h5"),
                               testing::HasSubstr("/states/vector' holds a number that is not finite")));
  }
}

/// Three of four sectors are finished in it; its checksum goes over their vectors.
TEST(CheckpointOfVersion010, HoldsTheRootsOfTheResult) {
  const Checkpoint checkpoint = read_checkpoint(folder / "sectors.chk.h5");
  const CiResult result = read_result(folder / "sectors.h5", true);
  ASSERT_EQ(checkpoint.finished.size(), 3U);
  for (std::size_t s = 0; s < 3; ++s) {
    ASSERT_EQ(checkpoint.finished[s].roots.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(checkpoint.finished[s].roots[k].energy, result.sectors[s].roots[k].energy);
    }
    EXPECT_EQ(test::vectors_of(checkpoint.finished[s]), test::vectors_of(result.sectors[s]));
  }
}

}  // namespace test_earlier_files
}  // namespace cisolve
