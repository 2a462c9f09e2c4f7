// SPDX-License-Identifier: MIT
// What the result file of a FLAPW run holds, for this program and for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "tasks/flapw_job.hpp"

namespace cisolve {
namespace test_flapw_result {

using test::FlapwJob;
using test::StoredPoint;
using testing::DoubleEq;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string band_path =
    "[k_points]\npath = { points = [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0]], labels = [\"G\", \"X\", \"M\"], "
    "segments = 2 }\n";

TEST(FlapwResult, HasWhatOtherProgramsRead) {
  FlapwJob job(test::cosine_crystal(), {"output.matrices=true"});
  test::run_to_end(job);
  const Hdf5File file = Hdf5File::open(job.file());
  const Hdf5Group root = file.root(), all = root.open_group("flapw"), crystal = root.open_group("crystal"),
                  point = root.open_group("k").open_group("1"), line = point.open_group("line");
  EXPECT_EQ(all.read_attribute<std::string>("kind"), "crystal");
  EXPECT_EQ(all.read_attribute<std::string>("algorithm"), "split");
  EXPECT_EQ(all.read_attribute<std::string>("status"), "converged");
  EXPECT_EQ(all.read_attribute<std::int64_t>("atoms"), 2);
  EXPECT_EQ(all.read_attribute<std::int64_t>("rows"), 162);
  EXPECT_TRUE(all.read_attribute<bool>("interstitial"));
  EXPECT_GT(all.read_attribute<double>("zgemm_rate"), 1e6);
  EXPECT_THAT(crystal.read<double>("lattice", {3, 3}), ElementsAre(6, 0, 0, 0, 6, 0, 0, 0, 6));
  EXPECT_THAT(crystal.read<double>("position", {2, 3}), ElementsAre(0.1, 0.2, 0.05, 0.6, 0.55, 0.62));
  EXPECT_THAT(crystal.read<std::int32_t>("type", {2}), ElementsAre(1, 2));
  EXPECT_THAT(crystal.read<double>("radius", {2}), ElementsAre(1.4, 1.2));
  EXPECT_THAT(crystal.read<std::int32_t>("lmax", {2}), ElementsAre(8, 8));
  EXPECT_THAT(crystal.read<std::uint8_t>("hpd", {2}), ElementsAre(0, 1));
  const Hdf5Group type = crystal.open_group("types").open_group("2");
  EXPECT_THAT(type.read<double>("energy", {9}), Each(0.2));
  for (const char* name : {"u", "u_r", "udot", "udot_r", "udot_norm"}) type.read<double>(name, {9});
  EXPECT_THAT(type.read<double>("wronskian", {9}), Each(testing::DoubleNear(0.0, 1e-10)));
  EXPECT_THAT(point.read<double>("k_point", {3}), ElementsAre(0.1, 0.23, 0.37));
  EXPECT_EQ(point.read_attribute<double>("weight"), 0.5);
  EXPECT_EQ(point.read_attribute<std::int64_t>("waves"), 119);
  EXPECT_EQ(point.read_attribute<std::int32_t>("hpd_atoms"), 1);
  EXPECT_EQ(point.read_attribute<std::string>("solver"), "direct");
  EXPECT_NEAR(point.read_attribute<double>("s_lowest"), 0.4273587581795416, 1e-7);
  EXPECT_EQ(point.read_attribute<std::int64_t>("dropped"), 0);
  EXPECT_EQ(point.read<double>("eigenvalue").shape, Hdf5Shape{8});
  EXPECT_EQ(point.read<std::complex<double>>("vector").shape, (Hdf5Shape{8, 119}));
  EXPECT_EQ(point.read<std::complex<double>>("h").shape, Hdf5Shape{119 * 120 / 2});
  EXPECT_EQ(point.read<std::int32_t>("g").shape, (Hdf5Shape{119, 3}));
  const std::size_t lines = line.read_strings("name").values.size();
  EXPECT_GT(lines, 3U);
  for (const char* name : {"seconds", "flops", "efficiency"}) line.read<double>(name, {lines});
}

TEST(FlapwResult, LinesOfThePublishedAlgorithmAreItsOwn) {
  FlapwJob job(test::flapw_of_file("mixed_two_types.h5"), {"flapw.algorithm=hsdla", "flapw.roots=0"});
  const FlapwResult result = test::run_to_end(job);
  std::vector<std::string> names;  // of Table 6, behind what makes A and B
  for (const lapw::LineRecord& line : result.points[0].lines) {
    if (!names.empty() || line.name.starts_with("loop 1")) names.push_back(line.name);
  }
  EXPECT_THAT(names, ElementsAre("loop 1 (4-9)", "H1 (10)", "S1 (13)", "U (14)", "S2 (15)", "loop 2 (17-27)",
                                 "H2 (28)", "H3 (29)"));
}

TEST(FlapwResult, VectorsAndMatricesAreThereIfAskedFor) {
  FlapwJob both(test::cosine_crystal(), {"output.matrices=true"}),
      none(test::cosine_crystal(), {"output.vectors=false"});
  test::run_to_end(both);
  test::run_to_end(none);
  const StoredPoint all(both.file(), 2), little(none.file(), 2);
  EXPECT_EQ(all.vectors.size(), 8 * all.n);
  EXPECT_EQ(all.h.size(), all.n * all.n);
  EXPECT_EQ(all.s.size(), all.n * all.n);
  EXPECT_TRUE(little.vectors.empty());
  EXPECT_TRUE(little.h.empty());
  EXPECT_TRUE(little.s.empty());
  EXPECT_EQ(little.energies, all.energies);
}

TEST(FlapwResult, WeightsAreThoseOfTheInput) {
  FlapwJob grid(test::cosine_crystal("[k_points]\ngrid = [2, 1, 1]\n"), {"flapw.roots=1"}),
      file(test::flapw_of_file("three_k.h5"), {"flapw.roots=1"});
  const FlapwResult of_grid = test::run_to_end(grid), of_file = test::run_to_end(file);
  ASSERT_EQ(of_grid.points.size(), 2U);
  for (const FlapwPoint& point : of_grid.points) EXPECT_EQ(point.k.weight, 0.5);
  ASSERT_EQ(of_file.points.size(), 3U);
  for (const FlapwPoint& point : of_file.points) EXPECT_THAT(point.k.weight, DoubleEq(1.0 / 3.0));
  EXPECT_NEAR(of_file.points[0].k.k[0], 0.33964067, 1e-8);
}

TEST(FlapwResult, BandsHaveLengthsAndLabelsOfTheirPath) {
  FlapwJob job(test::cosine_crystal(band_path), {"flapw.roots=4"});
  const FlapwResult result = test::run_to_end(job);
  const Hdf5File file = Hdf5File::open(job.file());
  const Hdf5Group bands = file.root().open_group("bands");
  EXPECT_THAT(bands.read_strings("label", {5}), ElementsAre("G", "", "X", "", "M"));
  const double step = 0.25 * 2.0 * std::numbers::pi / 6.0;
  const std::vector<double> x = bands.read<double>("x", {5});
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(x[k], static_cast<double>(k) * step, 1e-14);
  const std::vector<double> energies = bands.read<double>("eigenvalue", {5, 4});
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(energies[4 * k + i], StoredPoint(job.file(), static_cast<int>(k) + 1).energies[i]);
  }
  EXPECT_THAT(result.path.labels, ElementsAre("G", "X", "M"));
  EXPECT_THAT(result.path.corners, ElementsAre(0, 2, 4));
  FlapwJob list(test::cosine_crystal(), {"flapw.roots=1"});
  test::run_to_end(list);
  EXPECT_FALSE(Hdf5File::open(list.file()).root().contains("bands"));
}

/// The file has the input with all defaults: that is the same calculation.
TEST(FlapwResult, ResolvedInputsReadAgain) {
  for (const std::string& input :
       {test::cosine_crystal(band_path), test::inversion_crystal(), test::flapw_of_file("zero_norm.h5"),
        std::string("[flapw]\nroots = \"all\"\n[synthetic]\natoms = 2\nlmax = 1\nwaves = 9\n")}) {
    FlapwJob job(input);
    const FlapwResult result = test::run_to_end(job);
    EXPECT_EQ(result.head.input_text, input);
    FlapwJob again(result.head.resolved_text);
    const FlapwResult same = test::run_to_end(again);
    EXPECT_EQ(StoredPoint(again.file(), 1).energies, StoredPoint(job.file(), 1).energies);
    const auto without_file = [](const std::string& text) { return text.substr(0, text.find("[output]")); };
    EXPECT_EQ(without_file(same.head.resolved_text), without_file(result.head.resolved_text));
  }
}

TEST(FlapwResult, IsReadAsItWasWritten) {
  FlapwJob job(test::cosine_crystal(band_path), {"flapw.roots=3"});
  const FlapwResult result = test::run_to_end(job);
  EXPECT_TRUE(holds_flapw(job.file()));
  EXPECT_EQ(result.head.title, "Cosine potential, two spheres");
  EXPECT_EQ(result.k_max, 3.2);
  EXPECT_EQ(result.num_atoms, 2);
  ASSERT_TRUE(result.crystal);
  EXPECT_EQ(result.crystal->types[1].name, "Y");
  EXPECT_EQ(result.crystal->types[1].lmax_nonspherical, 6);
  EXPECT_EQ(result.crystal->atoms[1].type, 1);
  EXPECT_GT(result.seconds, 0.0);
  for (const FlapwPoint& point : result.points) {
    EXPECT_EQ(point.status, "converged");
    EXPECT_EQ(point.algorithm, "split");
    EXPECT_GT(point.gemm_rate, 0.0);
    EXPECT_EQ(point.states.count(), 3);
    EXPECT_THAT(point.states.converged, Each(true));
    for (const double value : point.states.scaled_residuals) EXPECT_LT(value, 1e-12);
  }
}

TEST(FlapwResult, OtherFilesAreNone) {
  const test::TemporaryFolder folder;
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2_sto3g.fcidump";
  config.device = DeviceChoice::cpu;
  config.output_file = folder / "h2.h5";
  std::ostringstream report;
  run_ci(config, {}, {}, report);
  EXPECT_FALSE(holds_flapw(folder / "h2.h5"));
  try {
    read_flapw(folder / "h2.h5");
    ADD_FAILURE() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("h2.h5' is not the result of a FLAPW calculation"));
  }
  EXPECT_THROW(read_flapw(folder / "absent.h5"), InputError);
}

}  // namespace test_flapw_result
}  // namespace cisolve
