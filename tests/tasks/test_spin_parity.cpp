// SPDX-License-Identifier: MIT
// Runs with the string-driven product and a multiplicity find all roots of that spin, and no others: where
// a spin parity and S^2 work together, where either suffices, and where the parity is alone.
#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace {

struct Case {
  std::string file, irrep;
  int level;
};

CiConfig config_of(const Case& c) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / c.file;
  config.excitation_level = c.level;
  config.irreps = {c.irrep};
  config.ms2 = 0;
  config.device = DeviceChoice::cpu;
  const auto folder = std::filesystem::temp_directory_path();
  config.output_file = folder / ("cisolve-parity-" + c.file + ".h5");
  config.checkpoint_file = folder / ("cisolve-parity-" + c.file + ".chk.h5");
  return config;
}

/// S + 1/2 rounded: S (S + 1) + 1/4 is its square.
int spin_of(double s_squared) { return static_cast<int>(std::lround(std::sqrt(s_squared + 0.25) - 0.5)); }

class SpinParityRuns : public testing::TestWithParam<Case> {};

TEST_P(SpinParityRuns, FindTheRootsOfThatSpin) {
  constexpr int all_roots = 8;
  constexpr double tolerance = 1e-9;  // of energies whose residuals are below 1e-6
  constexpr double spin_tolerance = 1e-8;
  CiConfig config = config_of(GetParam());
  config.count = all_roots;
  config.storage = "csr";
  const CiResult all = run_and_read(config);
  config.storage = "direct";
  for (const int multiplicity : {1, 3, 5}) {
    std::vector<double> expected;
    for (std::size_t k = 0; k < all.states.energy.size(); ++k) {
      if (2 * spin_of(all.states.s_squared[k]) + 1 == multiplicity) expected.push_back(all.states.energy[k]);
    }
    if (expected.empty()) continue;
    config.multiplicities = {multiplicity};
    config.count = static_cast<int>(expected.size());
    const CiResult found = run_and_read(config);
    EXPECT_EQ(found.hamiltonian.storage, "direct");
    EXPECT_EQ(found.solver.status, "converged");
    ASSERT_GE(found.states.energy.size(), expected.size()) << multiplicity;
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(found.states.energy[k], expected[k], tolerance) << multiplicity;
    for (const double s_squared : found.states.s_squared)
      EXPECT_NEAR(s_squared, 0.25 * (multiplicity * multiplicity - 1), spin_tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SpinParityRuns,
                         testing::Values(Case{"h2o_sto3g.fcidump", "all", full_excitation},
                                         Case{"h2o_631g.fcidump.gz", "1", 3},
                                         Case{"be_631g.fcidump", "1", full_excitation},
                                         Case{"n2_sto3g_stretched.fcidump", "1", 4}),
                         [](const auto& tested) {
                           const std::string& file = tested.param.file;
                           return file.substr(0, file.find('.'));
                         });

TEST(SpinParityRuns, AllStatesOfASpinAreGivenWhereMoreAreAskedFor) {
  CiConfig config = config_of({"h2_sto3g.fcidump", "all", full_excitation});
  config.storage = "direct";
  config.count = 4;  // three singlets and a triplet
  config.multiplicities = {1};
  const CiResult singlets = run_and_read(config);
  ASSERT_EQ(singlets.states.energy.size(), 3U);
  for (const double s_squared : singlets.states.s_squared) EXPECT_EQ(spin_of(s_squared), 0);
  config.multiplicities = {3};
  const CiResult triplets = run_and_read(config);
  ASSERT_EQ(triplets.states.energy.size(), 1U);
  EXPECT_EQ(spin_of(triplets.states.s_squared[0]), 1);
}

/// Where S^2 does not fit, the parity is alone, and roots of other spins of that parity are dropped.
TEST(SpinParityRuns, WithoutRoomForSpinDropWhatIsOfAnother) {
  CiConfig config = config_of({"n2_sto3g_stretched.fcidump", "all", full_excitation});
  config.storage = "direct";
  config.multiplicities = {1};
  config.count = 2;
  const CiResult with_spin = run_and_read(config);
  // The least memory that the run takes leaves no room for S^2.
  constexpr std::int64_t step = 256 * 1024;
  CiResult alone;
  for (config.memory = step; alone.states.energy.empty(); config.memory += step) {
    try {
      alone = run_and_read(config);
    } catch (const ResourceError&) {
    }
  }
  const auto tracked = [](const CiResult& result) { return result.solver.history.back().energies.size(); };
  ASSERT_GT(tracked(alone), tracked(with_spin)) << "no quintet was in the way";
  ASSERT_EQ(alone.states.energy.size(), with_spin.states.energy.size());
  for (std::size_t k = 0; k < alone.states.energy.size(); ++k) {
    EXPECT_NEAR(alone.states.energy[k], with_spin.states.energy[k], 1e-9);
    EXPECT_NEAR(alone.states.s_squared[k], 0.0, 1e-8);
  }
}

TEST(SpinParityRuns, SeveralSpinsAreSeveralSectors) {
  CiConfig config = config_of({"h2o_sto3g.fcidump", "1", full_excitation});
  config.multiplicities = {1, 3};
  config.storage = "csr";
  const CiResult stored = run_and_read(config);
  config.storage = "auto";
  config.determinants = DeterminantOutput::blocks;
  const CiResult direct = run_and_read(config);
  ASSERT_EQ(direct.sectors.size(), 2U);
  ASSERT_EQ(direct.states.energy.size(), stored.states.energy.size());
  for (std::size_t k = 0; k < direct.states.energy.size(); ++k)
    EXPECT_NEAR(direct.states.energy[k], stored.states.energy[k], 1e-9);
  for (const CiResult::Sector& sector : direct.sectors) {
    EXPECT_EQ(sector.hamiltonian.storage, "direct");
    EXPECT_TRUE(sector.space.alpha.empty());
    EXPECT_FALSE(sector.space.blocks.run_alpha.empty());
  }
}

}  // namespace
}  // namespace cisolve
