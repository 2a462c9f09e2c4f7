// SPDX-License-Identifier: MIT
// Runs restricted to a spin parity find the roots of an unrestricted run that have it, and no others.
#include <gtest/gtest.h>

#include <cmath>

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
  config.irrep = c.irrep;
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

TEST_P(SpinParityRuns, FindTheRootsOfThatParity) {
  constexpr int all_roots = 8;
  constexpr double tolerance = 1e-9;  // of energies whose residuals are below 1e-6
  CiConfig config = config_of(GetParam());
  config.count = all_roots;
  config.storage = "csr";
  const CiResult all = run_and_read(config);
  config.storage = "direct";
  for (const int multiplicity : {1, 3}) {
    std::vector<double> expected;
    for (std::size_t k = 0; k < all.states.energy.size(); ++k) {
      if (spin_of(all.states.s_squared[k]) % 2 == (multiplicity - 1) / 2 % 2)
        expected.push_back(all.states.energy[k]);
    }
    ASSERT_FALSE(expected.empty());
    config.multiplicity = multiplicity;
    config.count = static_cast<int>(expected.size());
    const CiResult found = run_and_read(config);
    EXPECT_EQ(found.solver.status, "converged");
    ASSERT_GE(found.states.energy.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(found.states.energy[k], expected[k], tolerance);
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

TEST(SpinParityRuns, MoreRootsThanTheParityHoldsAreFoundWithoutIt) {
  CiConfig config = config_of({"h2_sto3g.fcidump", "all", full_excitation});
  config.storage = "direct";
  config.multiplicity = 1;
  config.count = 4;  // three singlets and a triplet
  const CiResult result = run_and_read(config);
  ASSERT_EQ(result.states.energy.size(), 4U);
  int triplets = 0;
  for (const double s_squared : result.states.s_squared) triplets += spin_of(s_squared);
  EXPECT_EQ(triplets, 1);
  EXPECT_LT(result.states.energy[1], result.states.energy[2]);
}

}  // namespace
}  // namespace cisolve
