// SPDX-License-Identifier: MIT
// Roots of one spin, asked for by multiplicity, against the records of tests/data/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_spin_states {

using test::TemporaryFolder;

constexpr double energy_tolerance = 1e-8;

/// A record whose roots have pure spins, and one of these: its lowest roots of that spin are known.
struct SpinCase {
  ReferenceRecord record;
  int multiplicity = 1;
  std::vector<double> energies;

  std::string name() const { return record.name() + "_multiplicity" + std::to_string(multiplicity); }
};
void PrintTo(const SpinCase& spin_case, std::ostream* out) { *out << spin_case.name(); }

int nearest_multiplicity(double s_squared) {
  return static_cast<int>(std::lround(std::sqrt(1.0 + 4.0 * std::max(s_squared, 0.0))));
}

std::vector<SpinCase> spin_cases(std::int64_t least, std::int64_t most) {
  std::vector<SpinCase> cases;
  for (const ReferenceRecord& record : reference_records(least, most)) {
    if (record.is_multireference() || record.is_unrestricted()) continue;
    std::map<int, std::vector<double>> by_spin;
    bool pure = true;
    for (const auto& root : record.json["roots"]) {
      const double s_squared = root["s2"];
      const int multiplicity = nearest_multiplicity(s_squared);
      pure = pure && std::abs(s_squared - 0.25 * (multiplicity * multiplicity - 1)) < 1e-7;
      by_spin[multiplicity].push_back(root["energy"]);
    }
    if (!pure) continue;
    for (const auto& [multiplicity, energies] : by_spin) cases.push_back({record, multiplicity, energies});
  }
  return cases;
}

void expect_spin_states(const SpinCase& spin_case, DeviceChoice device, const std::string& storage = "auto") {
  const TemporaryFolder folder;
  CiConfig config = spin_case.record.config(folder.path());
  config.multiplicities = {spin_case.multiplicity};
  config.count = static_cast<int>(spin_case.energies.size());
  config.device = device;
  config.storage = storage;
  const CiResult result = run_and_read(config);
  const double tolerance = std::max(energy_tolerance, spin_case.record.json["tolerance"].get<double>());
  ASSERT_GE(result.roots.size(), spin_case.energies.size());
  for (std::size_t k = 0; k < spin_case.energies.size(); ++k) {
    EXPECT_NEAR(result.root(k).energy, spin_case.energies[k], tolerance) << "root " << k + 1;
  }
  for (const double s_squared : result.column(&Root::s_squared)) {
    EXPECT_NEAR(s_squared, 0.25 * (spin_case.multiplicity * spin_case.multiplicity - 1), 1e-8);
  }
}

class SpinStates : public testing::TestWithParam<SpinCase> {};
TEST_P(SpinStates, AreTheLowestOfTheirSpin) { expect_spin_states(GetParam(), DeviceChoice::cpu, "csr"); }
TEST_P(SpinStates, AreTheLowestOfTheirSpinWithNothingStored) {
  expect_spin_states(GetParam(), DeviceChoice::cpu, "direct");
}

class GpuSpinStates : public testing::TestWithParam<SpinCase> {};
TEST_P(GpuSpinStates, AreTheLowestOfTheirSpin) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  expect_spin_states(GetParam(), DeviceChoice::cuda);
}

const auto name_of = [](const auto& info) { return info.param.name(); };
INSTANTIATE_TEST_SUITE_P(Records, SpinStates, testing::ValuesIn(spin_cases(0, 16'000)), name_of);
INSTANTIATE_TEST_SUITE_P(Records, GpuSpinStates, testing::ValuesIn(spin_cases(1'000, 16'000)), name_of);

CiConfig c2(const std::filesystem::path& folder, int multiplicity, const std::string& irrep, int count) {
  CiConfig c;
  c.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "c2_631g_fc.fcidump.gz";
  c.point_group = "D2h";
  c.excitation_level = full_excitation;
  c.irreps = {irrep};
  c.multiplicities = {multiplicity};
  c.count = count;
  c.device = DeviceChoice::cpu;
  c.output_file = folder / "c2.h5";
  c.checkpoint_file = folder / "c2.chk.h5";
  return c;
}

/// energies.json: c2_631g_fc, full CI.
struct CarbonCase {
  int multiplicity;
  std::string irrep;
  std::optional<int> ms2;
  std::vector<double> energies;
};

class LargeSpinStates : public testing::TestWithParam<CarbonCase> {};

TEST_P(LargeSpinStates, OfCarbonDimer) {
  const TemporaryFolder folder;
  const CarbonCase& carbon = GetParam();
  CiConfig config =
      c2(folder.path(), carbon.multiplicity, carbon.irrep, static_cast<int>(carbon.energies.size()));
  config.ms2 = carbon.ms2;
  const CiResult result = run_and_read(config);
  ASSERT_EQ(result.roots.size(), carbon.energies.size());
  for (std::size_t k = 0; k < carbon.energies.size(); ++k) {
    EXPECT_NEAR(result.root(k).energy, carbon.energies[k], energy_tolerance);
  }
}

// The last at Ms = 0, where singlets and triplets lie below it.
INSTANTIATE_TEST_SUITE_P(FullCi, LargeSpinStates,
                         testing::Values(CarbonCase{1, "Ag", {}, {-75.6412567313493}},
                                         CarbonCase{3, "B3u", {}, {-75.61268732911647}},
                                         CarbonCase{5, "Ag", {}, {-75.4543075195754, -75.388915295579}},
                                         CarbonCase{5, "Ag", 0, {-75.4543075195754}}),
                         [](const auto& carbon) {
                           return "multiplicity" + std::to_string(carbon.param.multiplicity) +
                                  (carbon.param.ms2 ? "_ms0" : "");
                         });

/// CISD of C2: high-spin states at Ms = 0 among many lower ones, few roots asked for or many.
TEST(SpinStates, DoNotDependOnMsNorOnHowManyAreAsked) {
  const TemporaryFolder folder;
  CiConfig config = c2(folder.path(), 5, "Ag", 1);
  config.excitation_level = 3;
  config.ms2 = 0;
  config.reference = FirstOrbitalsReference{};  // one space for all spins
  const CiResult one = run_and_read(config);
  config.count = 4;
  const CiResult four = run_and_read(config);
  ASSERT_EQ(one.roots.size(), 1U);
  ASSERT_EQ(four.roots.size(), 4U);
  EXPECT_NEAR(one.root(0).energy, four.root(0).energy, 1e-10);
  // As the first of that spin in a run of all spins.
  config.multiplicities.clear();
  config.count = 12;
  const CiResult all = run_and_read(config);
  std::vector<double> quintets;
  for (std::size_t k = 0; k < all.roots.size(); ++k) {
    if (nearest_multiplicity(all.root(k).s_squared) == 5) quintets.push_back(all.root(k).energy);
  }
  ASSERT_GE(quintets.size(), 1U) << "the case does not test what it says";
  ASSERT_GT(quintets[0], all.root(0).energy);
  for (std::size_t k = 0; k < std::min<std::size_t>(quintets.size(), 4); ++k) {
    EXPECT_NEAR(four.root(k).energy, quintets[k], 1e-9);
  }
}

TEST(SpinStates, FewerThanAskedForAreSaidToBeAll) {
  const TemporaryFolder folder;
  CiConfig config = c2(folder.path(), 5, "all", 4);
  config.point_group = "C2v";
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g_mr.fcidump.gz";
  config.reference = ListedReferences{{"2222ud", "2222du"}};  // singles of these span few quintets
  config.excitation_level = 1;
  config.ms2 = 0;
  config.spin_complete = false;
  const CiResult result = run_and_read(config);
  ASSERT_EQ(result.roots.size(), 3U);
  EXPECT_TRUE(std::ranges::any_of(result.warnings, [](const std::string& warning) {
    return warning == "4 roots were asked for, but the space has 3 of multiplicity 5: all are given";
  }));
}

TEST(SpinStates, OfASpaceThatIsNotSpinCompleteAreTheNearestOnes) {
  const TemporaryFolder folder;
  CiConfig config = c2(folder.path(), 1, "1", 2);
  config.point_group = "C2v";
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g_mr.fcidump.gz";
  config.excitation_level = 2;
  config.reference = CasReference{4, 4, {}, CasReference::Irreps::sector};
  config.spin_complete = false;
  const CiResult singlets = run_and_read(config);
  EXPECT_EQ(singlets.sectors[0].space.dimension, 4466);
  ASSERT_EQ(singlets.roots.size(), 2U);
  // energies.json: h2o_631g_mr, ten references; a triplet lies between.
  EXPECT_NEAR(singlets.root(0).energy, -76.114735, 1e-6);
  EXPECT_GT(singlets.root(1).energy, -75.7442);
  for (const double s_squared : singlets.column(&Root::s_squared)) EXPECT_LT(s_squared, 0.1);
  EXPECT_FALSE(singlets.warnings.empty());

  config.spin_complete = true;
  const CiResult complete = run_and_read(config);
  EXPECT_EQ(complete.sectors[0].space.dimension, 5096);
  EXPECT_EQ(complete.sectors[0].space.reference_dimension, 10);
  EXPECT_TRUE(complete.sectors[0].space.spin_complete);
  EXPECT_TRUE(complete.warnings.empty());
  EXPECT_LT(complete.root(0).energy, singlets.root(0).energy);
  for (const double s_squared : complete.column(&Root::s_squared)) EXPECT_NEAR(s_squared, 0.0, 1e-8);
  // The same states at Ms = 1, where the singlet is absent and the triplet is the lowest.
  config.multiplicities = {3};
  config.count = 1;
  const CiResult triplet = run_and_read(config);
  config.ms2 = 0;
  const CiResult same = run_and_read(config);
  EXPECT_EQ(triplet.system.ms2, 2);
  EXPECT_EQ(same.system.ms2, 0);
  EXPECT_NEAR(same.root(0).s_squared, 2.0, 1e-8);
}

TEST(SpinStates, ThatDoNotExistAreRefused) {
  const TemporaryFolder folder;
  CiConfig config = c2(folder.path(), 5, "Ag", 1);
  config.excitation_level = 1;
  config.ms2 = 0;
  config.reference = FirstOrbitalsReference{};  // singles of a closed shell
  EXPECT_THROW(run_and_read(config), InputError);
}

}  // namespace test_spin_states
}  // namespace cisolve
