// SPDX-License-Identifier: MIT
// Energies over CSFs against independent programs (tests/data/README.md) and against determinants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_csf_energies {

constexpr double energy_tolerance = 1e-9;  // hartree; a residual of 1e-7 over any gap leaves less

std::filesystem::path scratch_folder() {
  const auto folder = test::process_folder() / "csf";
  std::filesystem::create_directories(folder);
  return folder;
}

int multiplicity_of_root(const nlohmann::json& root) {
  return static_cast<int>(std::lround(std::sqrt(1.0 + 4.0 * root["s2"].get<double>())));
}

/// Energies recorded for each multiplicity, ascending: the lowest of that spin, since all spins are listed.
std::map<int, std::vector<double>> by_multiplicity(const ReferenceRecord& record) {
  std::map<int, std::vector<double>> energies;
  for (const auto& root : record.json["roots"])
    energies[multiplicity_of_root(root)].push_back(root["energy"]);
  return energies;
}

CiConfig csf_config(const ReferenceRecord& record, int multiplicity, std::size_t count) {
  CiConfig config = record.config(scratch_folder());
  config.basis = BasisChoice::csf;
  config.ms2.reset();
  config.multiplicities = {multiplicity};
  config.count = static_cast<int>(count);
  if (config.excitation_level != full_excitation) {
    // The closed shell whatever the spin: that is what the determinants were excited out of.
    config.reference = ListedReferences{{std::string(record.json["nelec"].get<std::size_t>() / 2, '2')}};
  }
  config.tolerance = 1e-7;
  const std::string stem = record.name() + "_m" + std::to_string(multiplicity);
  config.output_file = scratch_folder() / (stem + ".h5");
  config.checkpoint_file = scratch_folder() / (stem + ".chk.h5");
  return config;
}

void remove_files(const CiConfig& config) {
  std::filesystem::remove(config.output_file);
  std::filesystem::remove(config.checkpoint_file);
}

/// Cut determinant spaces hold all determinants of their configurations if the reference is a closed shell.
/// Records of several references are below.
bool is_spin_complete(const ReferenceRecord& record) {
  if (record.json["space"]["type"] == "mrci") return false;
  return record.json["space"]["type"] == "fci" || record.json["ms2"] == 0;
}

class CsfEnergies : public testing::TestWithParam<ReferenceRecord> {};
class LargeCsfEnergies : public testing::TestWithParam<ReferenceRecord> {};

void expect_every_multiplicity(const ReferenceRecord& record) {
  for (const auto& [multiplicity, energies] : by_multiplicity(record)) {
    SCOPED_TRACE("multiplicity " + std::to_string(multiplicity));
    const CiConfig config = csf_config(record, multiplicity, energies.size());
    const CiResult result = run_and_read(config);
    EXPECT_EQ(result.sectors[0].solver.status, "converged");
    EXPECT_EQ(result.sectors[0].space.basis, "csf");
    EXPECT_LE(result.sectors[0].space.dimension, record.dimension());
    const double spin = 0.5 * (multiplicity - 1);
    const double tolerance = std::max(energy_tolerance, record.json["tolerance"].get<double>());
    ASSERT_GE(result.roots.size(), energies.size());
    for (std::size_t k = 0; k < energies.size(); ++k) {
      EXPECT_NEAR(result.root(k).energy, energies[k], tolerance) << "root " << k + 1;
      EXPECT_EQ(result.root(k).s_squared, spin * (spin + 1.0));
    }
    remove_files(config);
  }
}

TEST_P(CsfEnergies, AreThoseOfDeterminantsOfTheSameSpin) { expect_every_multiplicity(GetParam()); }
TEST_P(LargeCsfEnergies, AreThoseOfDeterminantsOfTheSameSpin) { expect_every_multiplicity(GetParam()); }

std::vector<ReferenceRecord> spin_complete_records(std::int64_t least, std::int64_t most) {
  std::vector<ReferenceRecord> records = reference_records(least, most);
  std::erase_if(records,
                [](const auto& r) { return r.is_empty() || r.is_unrestricted() || !is_spin_complete(r); });
  return records;
}

/// Two closed-shell references: such a determinant space is spin-complete.
TEST(CsfEnergies, OfTwoClosedShellReferencesAreThoseOfDeterminants) {
  struct Case {
    const char* file;
    std::vector<std::string> references;
    double energy;
  };
  // From energies.json, type mrci: 1,321 and 763 determinants.
  for (const Case& c : {Case{"h2o_631g_mr.fcidump.gz", {"22222", "222202"}, -76.11418187157975},
                        Case{"beh2_631g_mr.fcidump.gz", {"222", "2202"}, -15.668957897784807}}) {
    SCOPED_TRACE(c.file);
    CiConfig config;
    config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / c.file;
    config.basis = BasisChoice::csf;
    config.reference = ListedReferences{c.references};
    config.irreps = {"1"};
    config.multiplicities = {1};
    config.device = DeviceChoice::cpu;
    config.output_file = scratch_folder() / "two_references.h5";
    config.checkpoint_file = scratch_folder() / "two_references.chk.h5";
    const CiResult result = run_and_read(config);
    EXPECT_NEAR(result.root(0).energy, c.energy, energy_tolerance);
    EXPECT_EQ(result.sectors[0].space.reference_dimension, 2);
    remove_files(config);
  }
}

/// Open-shell references: both bases over the same configurations.
TEST(CsfEnergies, AreThoseOfSpinCompleteDeterminants) {
  struct Case {
    const char* file;
    ReferenceChoice reference;
    const char* irrep;
    int multiplicity;
    int level;
    bool limited;
  };
  const CasReference cas{.electrons = 4, .num_orbitals = 4, .orbitals = {}};
  for (const Case& c :
       {Case{"h2o_631g_mr.fcidump.gz", cas, "1", 1, 2, false},
        Case{"h2o_631g_mr.fcidump.gz", cas, "1", 3, 1, false},
        Case{"h2o_631g_mr.fcidump.gz", cas, "all", 5, 0, false},
        Case{"beh2_631g_mr.fcidump.gz", cas, "1", 1, 2, false},
        Case{"h2o_631g_mr.fcidump.gz", ListedReferences{{"22222", "222211", "222202"}}, "1", 1, 2, false},
        Case{"oh_631g.fcidump", AufbauReference{}, "2", 2, 2, false},
        Case{"oh_631g.fcidump", AufbauReference{}, "2", 4, 2, false},
        Case{"h2o_631g_mr.fcidump.gz", AufbauReference{}, "1", 1, 4, true},
        Case{"ch2_631g_fc.fcidump.gz", AufbauReference{}, "all", 3, 2, false}}) {
    SCOPED_TRACE(std::string(c.file) + ", multiplicity " + std::to_string(c.multiplicity));
    CiConfig config;
    config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / c.file;
    config.reference = c.reference;
    config.irreps = {c.irrep};
    config.multiplicities = {c.multiplicity};
    config.excitation_level = c.level;
    if (c.limited) {
      config.max_holes = OccupationLimit{{1, 2}, 1};
      config.max_particles = OccupationLimit{{10, 11, 12, 13}, 2};
    }
    config.count = 2;
    config.tolerance = 1e-7;
    config.spin_complete = true;
    config.device = DeviceChoice::cpu;
    config.output_file = scratch_folder() / "spin_complete.h5";
    config.checkpoint_file = scratch_folder() / "spin_complete.chk.h5";
    const CiResult determinants = run_and_read(config);
    config.basis = BasisChoice::csf;
    const CiResult csfs = run_and_read(config);
    EXPECT_LE(csfs.sectors[0].space.dimension, determinants.sectors[0].space.dimension);
    ASSERT_EQ(csfs.roots.size(), determinants.roots.size());
    for (std::size_t k = 0; k < csfs.roots.size(); ++k) {
      EXPECT_NEAR(csfs.root(k).energy, determinants.root(k).energy, energy_tolerance) << "root " << k + 1;
    }
    remove_files(config);
  }
}

TEST(CsfEnergies, StartFromEarlierResultsOfEitherBasis) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz";
  config.irreps = {"1"};
  config.multiplicities = {1};
  config.device = DeviceChoice::cpu;
  config.output_file = scratch_folder() / "first.h5";
  config.checkpoint_file = scratch_folder() / "first.chk.h5";
  CiConfig next = config;
  config.tolerance = 1e-8;  // well below what the next run asks for
  next.basis = BasisChoice::csf;
  next.output_file = scratch_folder() / "next.h5";
  next.checkpoint_file = scratch_folder() / "next.chk.h5";
  const CiResult alone = run_and_read(next);
  for (const BasisChoice basis : {BasisChoice::determinant, BasisChoice::csf}) {
    config.basis = basis;
    run_and_read(config);
    next.guess = config.output_file;
    const CiResult guessed = run_and_read(next);
    EXPECT_NEAR(guessed.root(0).energy, alone.root(0).energy, energy_tolerance);
    EXPECT_LT(guessed.sectors[0].solver.history.size(), alone.sectors[0].solver.history.size());
    EXPECT_NEAR(guessed.sectors[0].solver.history.front().energies.front(), alone.root(0).energy, 1e-6)
        << "the first Ritz value is that of the guess";
  }
  // And a determinant run from the vectors over CSFs that the file now holds.
  next.basis = BasisChoice::determinant;
  const CiResult determinants = run_and_read(next);
  EXPECT_NEAR(determinants.root(0).energy, alone.root(0).energy, energy_tolerance);
  EXPECT_NEAR(determinants.sectors[0].solver.history.front().energies.front(), alone.root(0).energy, 1e-6);
  next.multiplicities = {3};
  EXPECT_THROW(run_and_read(next), InputError);
  remove_files(config);
  remove_files(next);
}

TEST(CsfEnergies, StartFromTheSectorsOfTheirSpin) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz";
  config.irreps = {"1"};
  config.multiplicities = {1, 3};
  config.basis = BasisChoice::csf;
  config.reference = ListedReferences{{"22222"}};  // of either spin: the same space over determinants
  config.device = DeviceChoice::cpu;
  config.tolerance = 1e-8;
  config.output_file = scratch_folder() / "both.h5";
  config.checkpoint_file = scratch_folder() / "both.chk.h5";
  const CiResult both = run_and_read(config);
  CiConfig next = config;
  next.tolerance = 1e-6;
  next.output_file = scratch_folder() / "triplet.h5";
  next.checkpoint_file = scratch_folder() / "triplet.chk.h5";
  next.guess = config.output_file;
  next.multiplicities = {3};
  const double triplet = both.root(1).energy;
  ASSERT_NEAR(both.root(1).s_squared, 2.0, 1e-10);
  const CiResult csfs = run_and_read(next);
  EXPECT_NEAR(csfs.sectors[0].solver.history.front().energies.front(), triplet, 1e-6)
      << "the first Ritz value";
  // Followed in determinants of Ms = 0, where the singlet lies below.
  next.basis = BasisChoice::determinant;
  next.multiplicities.clear();
  next.ms2 = 0;
  next.guess = next.output_file;
  next.follow = true;
  next.output_file = scratch_folder() / "followed.h5";
  const CiResult followed = run_and_read(next);
  EXPECT_NEAR(followed.root(0).s_squared, 2.0, 1e-6);
  EXPECT_NEAR(followed.sectors[0].solver.history.front().energies.front(), triplet, 1e-6);
  // A spin that no sector has.
  next = config;
  next.guess = config.output_file;
  next.multiplicities = {5};
  try {
    run_and_read(next);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("multiplicity 5"),
                               testing::HasSubstr("irrep 1, multiplicity 1; irrep 1, multiplicity 3")));
  }
  for (const char* name : {"both", "triplet", "followed"}) {
    std::filesystem::remove(scratch_folder() / (std::string(name) + ".h5"));
    std::filesystem::remove(scratch_folder() / (std::string(name) + ".chk.h5"));
  }
}

TEST(CsfEnergies, DoNotDependOnHowManyReferencesStart) {
  // 4,900 determinants as references: start vectors come from the lowest of them, in either basis.
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "n2_ccpvdz_fc.fcidump.gz";
  config.reference = CasReference{.electrons = 8, .num_orbitals = 8, .orbitals = {}};
  config.excitation_level = 0;
  config.irreps = {"all"};
  config.count = 3;
  config.multiplicities = {5};
  config.ms2 = 0;
  config.tolerance = 1e-7;
  config.device = DeviceChoice::cpu;
  config.output_file = scratch_folder() / "references.h5";
  config.checkpoint_file = scratch_folder() / "references.chk.h5";
  const CiResult determinants = run_and_read(config);
  EXPECT_EQ(determinants.sectors[0].space.reference_dimension, 4900);
  EXPECT_THAT(determinants.sectors[0].solver.start, testing::HasSubstr("of 4,900 references"));
  config.ms2.reset();
  config.basis = BasisChoice::csf;
  const CiResult csfs = run_and_read(config);
  EXPECT_THAT(csfs.sectors[0].solver.start,
              testing::StartsWith("model space of 720 CSFs (720 of 720 references)"));
  ASSERT_EQ(csfs.roots.size(), determinants.roots.size());
  for (std::size_t k = 0; k < csfs.roots.size(); ++k) {
    EXPECT_NEAR(csfs.root(k).energy, determinants.root(k).energy, energy_tolerance) << "root " << k + 1;
    EXPECT_NEAR(determinants.root(k).s_squared, 6.0, 1e-9);
  }
  remove_files(config);
}

TEST(ExhaustiveCsfEnergies, OfOneLargeConfigurationAgree) {
  // Fourteen open shells: 3,432 determinants, more than a model space may have, which therefore is empty.
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "n2_ccpvdz_fc.fcidump.gz";
  config.electrons = 14;
  config.reference = ListedReferences{{"11111111111111"}};
  config.excitation_level = 0;
  config.irreps = {"all"};
  config.multiplicities = {3};
  config.ms2 = 0;
  config.count = 2;
  config.tolerance = 1e-7;
  config.device = DeviceChoice::cpu;
  config.output_file = scratch_folder() / "open.h5";
  config.checkpoint_file = scratch_folder() / "open.chk.h5";
  const CiResult determinants = run_and_read(config);
  EXPECT_EQ(determinants.sectors[0].space.dimension, 3432);
  EXPECT_EQ(determinants.sectors[0].solver.start, "the lowest of the diagonal");
  config.ms2.reset();
  config.basis = BasisChoice::csf;
  const CiResult csfs = run_and_read(config);
  ASSERT_EQ(csfs.roots.size(), determinants.roots.size());
  for (std::size_t k = 0; k < csfs.roots.size(); ++k) {
    EXPECT_NEAR(csfs.root(k).energy, determinants.root(k).energy, energy_tolerance) << "root " << k + 1;
  }
  remove_files(config);
}

TEST(CsfEnergies, OfACasReferenceHaveThePublishedSpace) {
  // CAS(4,4) in A1: 10 reference determinants; spin-complete, its CISD has 5,096 determinants.
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g_mr.fcidump.gz";
  config.basis = BasisChoice::csf;
  config.reference = CasReference{.electrons = 4, .num_orbitals = 4, .irreps = CasReference::Irreps::sector};
  config.irreps = {"1"};
  config.multiplicities = {1};
  const CiJob job = prepare_job(config);
  const ConfigurationSpace<string_words> space(with_words<string_words>(*job.csf));
  std::int64_t determinants = 0, references = 0;
  for (std::int32_t i = 0; i < space.num_configurations(); ++i) {
    const int open = space.configuration(i).num_open();
    std::int64_t arrangements = 1;  // binomial(open, open / 2)
    for (int k = 1; k <= open / 2; ++k) arrangements = arrangements * (open - k + 1) / k;
    determinants += arrangements;
    if (i < space.num_references()) references += arrangements;
  }
  EXPECT_EQ(references, 10);
  EXPECT_EQ(determinants, 5096);
}

TEST(CsfJobs, RefuseWhatHasNoSense) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz";
  config.basis = BasisChoice::csf;
  const auto message = [&] {
    try {
      prepare_job(config);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  config.multiplicities = {2};
  EXPECT_EQ(message(), "states.multiplicity: 10 electrons cannot have multiplicity 2; it must be odd");
  config.multiplicities = {13};
  EXPECT_EQ(message(), "states.multiplicity: 10 electrons in 13 orbitals cannot have multiplicity 13");
  config.multiplicities = {1};
  config.reference = ListedReferences{{"2222"}};
  EXPECT_EQ(message(), "space.reference: \"2222\" holds 8 electrons, but there are 10 active ones");
  config.reference = ListedReferences{{"22222000000000"}};
  EXPECT_EQ(message(), "space.reference: \"22222000000000\" has 14 orbitals, but there are 13 active ones");
  config.reference = AufbauReference{};
  config.max_holes = OccupationLimit{{1, 14}, 1};
  EXPECT_EQ(message(), "space.max_holes.orbitals: orbital 14 is outside 1 .. 13, the active orbitals");
}

const auto name_of = [](const auto& info) { return info.param.name(); };
INSTANTIATE_TEST_SUITE_P(Records, CsfEnergies, testing::ValuesIn(spin_complete_records(0, 20'000)), name_of);
INSTANTIATE_TEST_SUITE_P(Records, LargeCsfEnergies, testing::ValuesIn(spin_complete_records(20'001, 40'000)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(ExhaustiveRecords, LargeCsfEnergies,
                         testing::ValuesIn(spin_complete_records(40'001, 500'000)), name_of);

}  // namespace test_csf_energies
}  // namespace cisolve
