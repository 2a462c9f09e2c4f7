// SPDX-License-Identifier: MIT
// Runs with the string-driven product and a multiplicity find all roots of that spin, and no others: where
// a spin parity and S^2 work together, where either suffices, and where the parity is alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_spin_parity {

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
  config.reference = FirstOrbitalsReference{};  // one space for all spins
  config.device = DeviceChoice::cpu;
  const auto folder = test::process_folder();
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
    for (std::size_t k = 0; k < all.roots.size(); ++k) {
      if (2 * spin_of(all.root(k).s_squared) + 1 == multiplicity) expected.push_back(all.root(k).energy);
    }
    if (expected.empty()) continue;
    config.multiplicities = {multiplicity};
    config.count = static_cast<int>(expected.size());
    const CiResult found = run_and_read(config);
    EXPECT_EQ(found.sectors[0].hamiltonian.storage, "direct");
    EXPECT_EQ(found.sectors[0].solver.status, "converged");
    ASSERT_GE(found.roots.size(), expected.size()) << multiplicity;
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(found.root(k).energy, expected[k], tolerance) << multiplicity;
    for (const double s_squared : found.column(&Root::s_squared))
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
  ASSERT_EQ(singlets.roots.size(), 3U);
  for (const double s_squared : singlets.column(&Root::s_squared)) EXPECT_EQ(spin_of(s_squared), 0);
  config.multiplicities = {3};
  const CiResult triplets = run_and_read(config);
  ASSERT_EQ(triplets.roots.size(), 1U);
  EXPECT_EQ(spin_of(triplets.root(0).s_squared), 1);
}

/// A quintet that the parity lets pass lies between the singlets: it never comes up.
TEST(SpinParityRuns, LeaveOutTheRootsOfOtherSpins) {
  CiConfig config = config_of({"n2_sto3g_stretched.fcidump", "all", full_excitation});
  config.storage = "csr";
  config.multiplicities = {1};
  config.count = 2;
  const CiResult stored = run_and_read(config);
  config.storage = "direct";
  const CiResult direct = run_and_read(config);
  ASSERT_EQ(direct.roots.size(), stored.roots.size());
  for (std::size_t k = 0; k < direct.roots.size(); ++k) {
    EXPECT_NEAR(direct.root(k).energy, stored.root(k).energy, 1e-9);
    EXPECT_NEAR(direct.root(k).s_squared, 0.0, 1e-8);
  }
  const auto& history = direct.sectors[0].solver.history;
  for (std::size_t k = 1; k < history.size(); ++k) {
    EXPECT_EQ(history[k].iteration, history[k - 1].iteration + 1);
    EXPECT_LE(history[k].energies[1],
              history[k - 1].energies[1] + 1e-9);  // a quintet would have to be left out
  }
}

/// The subspace of the solver is what the memory holds; the roots are the same.
TEST(SpinParityRuns, NeedNoMoreThanTheMemoryGiven) {
  CiConfig config = config_of({"h2o_631g.fcidump.gz", "1", 3});
  config.storage = "direct";
  config.multiplicities = {1};
  const CiResult usual = run_and_read(config);
  const std::int64_t vector_bytes = 8 * usual.sectors[0].space.dimension;
  CiResult least;
  for (config.memory = 16 << 20; least.column(&Root::energy).empty(); config.memory += vector_bytes) {
    try {
      least = run_and_read(config);
    } catch (const ResourceError&) {
    }
  }
  const auto largest = [](const CiResult& result) {
    int size = 0;
    for (const auto& record : result.sectors[0].solver.history) size = std::max(size, record.subspace_size);
    return size;
  };
  EXPECT_EQ(largest(least), 6);
  EXPECT_GT(largest(usual), 6);
  EXPECT_NEAR(least.root(0).energy, usual.root(0).energy, 1e-9);
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
  ASSERT_EQ(direct.roots.size(), stored.roots.size());
  for (std::size_t k = 0; k < direct.roots.size(); ++k)
    EXPECT_NEAR(direct.root(k).energy, stored.root(k).energy, 1e-9);
  for (const CiResult::Sector& sector : direct.sectors) {
    EXPECT_EQ(sector.hamiltonian.storage, "direct");
    EXPECT_TRUE(sector.space.alpha.empty());
    EXPECT_FALSE(sector.space.blocks.run_alpha.empty());
  }
}

class GpuDirectRuns : public testing::TestWithParam<Case> {};

/// Nothing stored on the device: the same roots as on the host, of all spins and of each.
TEST_P(GpuDirectRuns, GiveTheRootsOfTheHost) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  CiConfig config = config_of(GetParam());
  config.storage = "direct";
  for (const int multiplicity : {0, 1, 3, 5}) {
    config.multiplicities.clear();
    if (multiplicity > 0) config.multiplicities = {multiplicity};
    config.count = multiplicity == 0 ? 4 : 2;
    config.device = DeviceChoice::cpu;
    const CiResult host = run_and_read(config);
    config.device = DeviceChoice::cuda;
    const CiResult device = run_and_read(config);
    EXPECT_EQ(device.sectors[0].hamiltonian.storage, "direct");
    EXPECT_EQ(device.sectors[0].hamiltonian.nonzeros, host.sectors[0].hamiltonian.nonzeros);
    EXPECT_EQ(device.sectors[0].solver.status, "converged");
    ASSERT_EQ(device.roots.size(), host.roots.size()) << multiplicity;
    for (std::size_t k = 0; k < host.roots.size(); ++k) {
      EXPECT_NEAR(device.root(k).energy, host.root(k).energy, 1e-9) << multiplicity;
      EXPECT_NEAR(device.root(k).s_squared, host.root(k).s_squared, 1e-8) << multiplicity;
      EXPECT_LE(device.root(k).residual_norm, config.tolerance);
    }
  }
}

TEST_P(GpuDirectRuns, AreWhatAutoTakes) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  CiConfig config = config_of(GetParam());
  config.device = DeviceChoice::cuda;
  EXPECT_EQ(run_and_read(config).sectors[0].hamiltonian.storage, "direct");
}

INSTANTIATE_TEST_SUITE_P(Cases, GpuDirectRuns,
                         testing::Values(Case{"h2o_sto3g.fcidump", "all", full_excitation},
                                         Case{"h2o_631g.fcidump.gz", "1", 3},
                                         Case{"be_631g.fcidump", "1", full_excitation},
                                         Case{"n2_sto3g_stretched.fcidump", "1", 4}),
                         [](const auto& tested) {
                           const std::string& file = tested.param.file;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace test_spin_parity
}  // namespace cisolve
