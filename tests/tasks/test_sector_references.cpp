// SPDX-License-Identifier: MIT
// Every irrep and multiplicity has references of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_sector_references {

using testing::ElementsAre;
using testing::HasSubstr;

// Hartree; residuals of 1e-7 over any gap leave less.
constexpr double energy_tolerance = 1e-9;

CiConfig job(const std::string& file, std::vector<std::string> irreps, std::vector<int> multiplicities,
             const std::string& group) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / file;
  config.point_group = group;
  config.irreps = std::move(irreps);
  config.multiplicities = std::move(multiplicities);
  config.tolerance = 1e-7;
  config.device = DeviceChoice::cpu;
  const auto folder = test::process_folder();
  config.output_file = folder / "cisolve-sector-references.h5";
  config.checkpoint_file = folder / "cisolve-sector-references.chk.h5";
  return config;
}

CiConfig water(std::vector<std::string> irreps, std::vector<int> multiplicities = {}) {
  return job("h2o_631g.fcidump.gz", std::move(irreps), std::move(multiplicities), "C2v");
}

/// Occupations of a job's references, empty orbitals at the end left out.
std::vector<std::string> references(const CiJob& job) {
  std::vector<std::string> texts;
  for (const auto& d : job.selection.references) {
    std::string text;
    for (int p = 0; p < job.num_orbitals(); ++p) {
      text += d.alpha.test(p) ? (d.beta.test(p) ? '2' : 'u') : (d.beta.test(p) ? 'd' : '0');
    }
    texts.push_back(text.substr(0, text.find_last_not_of('0') + 1));
  }
  return texts;
}

std::vector<double> energies(const CiConfig& config) { return run_and_read(config).column(&Root::energy); }

TEST(SectorReferences, AreTheLowestOfTheirIrrepAndSpin) {
  const auto jobs = prepare_jobs(water({"A1", "B1", "B2", "A2"}, {1, 3}));
  ASSERT_EQ(jobs.size(), 8U);
  EXPECT_THAT(references(jobs[0]), ElementsAre("22222"));
  EXPECT_EQ(jobs[0].reference_origin, "");
  EXPECT_THAT(references(jobs[2]), ElementsAre("2222ud", "2222du"));
  EXPECT_EQ(jobs[2].reference_origin, "1b1 -> 4a1 of the first orbitals, the lowest of this irrep and spin");
  EXPECT_THAT(references(jobs[3]), ElementsAre("2222uu")) << "the first orbitals of Ms = 1";
  EXPECT_EQ(jobs[3].reference_origin, "");
  for (const CiJob& job : jobs) {
    const int irrep = job.selection.irrep;
    for (const auto& d : job.selection.references) {
      int product = 0;
      (d.alpha ^ d.beta).for_each([&](int p) { product ^= job.selection.irreps[p]; });
      EXPECT_EQ(product, irrep);
      EXPECT_GE((d.alpha ^ d.beta).count(), *job.multiplicity - 1);
    }
    EXPECT_LE(job.reference_energy, -74.0) << "no core hole";
  }
}

TEST(SectorReferences, GiveTripletsThatDoNotDependOnMs) {
  CiConfig config = water({"A1", "B1", "B2", "A2"}, {3});
  const CiResult high = run_and_read(config);
  config.ms2 = 0;
  const CiResult low = run_and_read(config);
  ASSERT_EQ(high.roots.size(), 4U);
  ASSERT_EQ(low.roots.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(high.root(k).energy, low.root(k).energy, energy_tolerance);
    EXPECT_NEAR(low.root(k).s_squared, 2.0, 1e-8);
    EXPECT_EQ(high.root(k).irrep, low.root(k).irrep);
  }
  // PyCI in the same determinants, 1,225 and 1,766 of them.
  EXPECT_NEAR(high.root(0).energy, -75.8235424977, energy_tolerance);
  EXPECT_EQ(high.sectors[1].space.dimension, 1225);
  EXPECT_EQ(low.sectors[1].space.dimension, 1766);
  config.ms2.reset();
  config.basis = BasisChoice::csf;
  const CiResult csfs = run_and_read(config);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(csfs.root(k).energy, high.root(k).energy, energy_tolerance);
  }
}

TEST(SectorReferences, OfTheFirstOrbitalsAreWhatIsAskedFor) {
  CiConfig config = water({"B1"});
  config.reference = FirstOrbitalsReference{};
  const CiJob first = prepare_job(config);
  EXPECT_THAT(references(first), ElementsAre("22222"));
  EXPECT_EQ(first.selection.irrep, 1);
  // With no irrep asked for, it is theirs.
  config = water({});
  EXPECT_EQ(prepare_job(config).selection.irrep, 0);
  // A triplet needs two open shells, whatever Ms.
  config.ms2 = 0;
  config.multiplicities = {3};
  const CiJob triplet = prepare_job(config);
  EXPECT_EQ(triplet.selection.irrep, 1);
  EXPECT_THAT(references(triplet), ElementsAre("2222ud", "2222du"));
}

TEST(SectorReferences, LowestMayLeaveTheIrrepOfTheFirstOrbitals) {
  // Psi4 blocks orbitals by irrep: its first five are far from the Hartree-Fock determinant.
  CiConfig blocked = job("dialects/psi4.fcidump", {"A1", "B1"}, {3}, "C2v");
  blocked.reference = LowestReference{};
  const std::vector<double> found = energies(blocked);
  const std::vector<double> sorted = energies(job("dialects/molpro.fcidump", {"A1", "B1"}, {3}, "C2v"));
  ASSERT_EQ(found.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(found[k], sorted[k], energy_tolerance);
  EXPECT_THAT(prepare_jobs(blocked)[1].reference_origin, HasSubstr("of the first orbitals, reached by"));
  const CiJob aufbau = prepare_job(job("dialects/psi4.fcidump", {"A1"}, {1}, "C2v"));
  EXPECT_THAT(aufbau.warnings, testing::Contains(HasSubstr("reference = \"lowest\" uses the lowest")));
}

TEST(SectorReferences, KeepTheLimitsOfARas) {
  CiConfig config = water({"A2"}, {3});
  config.max_holes = OccupationLimit{{5}, 0};  // 1b1 stays full
  const CiJob restricted = prepare_job(config);
  for (const auto& d : restricted.selection.references) EXPECT_TRUE(d.alpha.test(4) && d.beta.test(4));
}

TEST(SectorReferences, OfAnOpenShellGiveBothComponents) {
  // OH from orbitals of its B1 component: PyCI in the same determinants.
  const CiResult result = run_and_read(job("oh_631g.fcidump", {"B1", "B2"}, {2}, "C2v"));
  ASSERT_EQ(result.roots.size(), 2U);
  EXPECT_EQ(result.sectors[1].space.reference, "222u2000000");
  EXPECT_TRUE(result.sectors[1].space.spin_complete);
  EXPECT_NEAR(result.root(1).energy, -75.45925288, 1e-8);
  for (const double s_squared : result.column(&Root::s_squared)) EXPECT_NEAR(s_squared, 0.75, 1e-9);
}

TEST(CasReferences, OfAllIrrepsKeepDegenerateStatesTogether) {
  CiConfig config = job("o2_sto3g.fcidump", {"Ag", "B1g"}, {1}, "D2h");
  config.reference = CasReference{.electrons = 2, .num_orbitals = 2, .orbitals = {8, 9}};
  const CiResult all = run_and_read(config);
  EXPECT_EQ(all.sectors[0].space.dimension, 98);  // as the energy by PyCI in these determinants
  EXPECT_EQ(all.sectors[1].space.dimension, 94);
  EXPECT_EQ(all.sectors[0].space.reference_dimension, 2);
  EXPECT_NEAR(all.root(0).energy, -147.70056176, 1e-8);
  EXPECT_NEAR(all.root(1).energy, all.root(0).energy, 1e-8);
  EXPECT_THAT(all.sectors[0].space.reference_origin, HasSubstr("with determinants of all irreps"));

  config.reference = CasReference{
      .electrons = 2, .num_orbitals = 2, .orbitals = {8, 9}, .irreps = CasReference::Irreps::sector};
  const CiResult cut = run_and_read(config);
  EXPECT_EQ(cut.sectors[0].space.dimension, 92);
  EXPECT_NEAR(cut.root(1).energy, -147.70054654, 1e-8);
  EXPECT_THAT(cut.sectors[0].space.reference_origin, HasSubstr("of the sector's irrep"));
}

TEST(CasReferences, SectorsThatTheCasLacksArePassedOver) {
  CiConfig config = water({"A1", "B2", "B1"}, {1});
  config.excitation_level = 0;
  for (const auto irreps : {CasReference::Irreps::all, CasReference::Irreps::sector}) {
    for (const BasisChoice basis : {BasisChoice::determinant, BasisChoice::csf}) {
      config.basis = basis;
      config.reference = CasReference{.electrons = 2, .num_orbitals = 2, .orbitals = {}, .irreps = irreps};
      const CiResult result = run_and_read(config);
      ASSERT_EQ(result.roots.size(), 2U);
      EXPECT_EQ(result.sectors[1].space.dimension, 0);
      EXPECT_THAT(result.warnings,
                  ElementsAre(testing::AnyOf(HasSubstr("irrep B2"), HasSubstr("the CAS has no"))));
    }
  }
  config.irreps = {"B2"};
  EXPECT_THROW(run_and_read(config), InputError);
}

/// Highest less lowest of the energies of the first roots of all sectors.
double spread(const CiConfig& config) {
  const CiResult result = run_and_read(config);
  std::vector<double> lowest;
  for (const CiResult::Sector& sector : result.sectors) lowest.push_back(sector.roots.front().energy);
  return std::ranges::max(lowest) - std::ranges::min(lowest);
}

TEST(DegenerateStates, AreDegenerateOutOfClosedShellOrbitals) {
  struct Case {
    const char* file;
    std::vector<std::string> irreps;
    CasReference cas;
  };
  for (const Case& c :
       {Case{"n2_sto3g_stretched.fcidump", {"B3g", "B2g"}, {.electrons = 6, .num_orbitals = 6}},  // Pi g
        Case{"be_631g.fcidump", {"B1u", "B2u", "B3u"}, {.electrons = 2, .num_orbitals = 4}}}) {   // P
    for (const int multiplicity : {1, 3}) {
      SCOPED_TRACE(std::string(c.file) + ", multiplicity " + std::to_string(multiplicity));
      CiConfig config = job(c.file, c.irreps, {multiplicity}, "D2h");
      EXPECT_LT(spread(config), 1e-8);
      config.basis = BasisChoice::csf;
      EXPECT_LT(spread(config), 1e-8);
      config.reference = c.cas;
      EXPECT_LT(spread(config), 1e-8);
      config.basis = BasisChoice::determinant;
      EXPECT_LT(spread(config), 1e-8);
    }
  }
}

TEST(SectorReferences, AnIsymThatIsNotTheirsIsMentioned) {
  std::ifstream original(CISOLVE_TEST_DATA "/h2_sto3g.fcidump");
  std::string text{std::istreambuf_iterator<char>(original), {}};
  text.replace(text.find("ISYM=1"), 6, "ISYM=5");
  const auto file = test::process_folder() / "cisolve-isym.fcidump";
  std::ofstream(file) << text;
  const auto warnings = [&](std::vector<std::string> irreps) {
    return prepare_job(job(file.string(), std::move(irreps), {}, "D2h")).warnings;
  };
  EXPECT_THAT(warnings({}),
              ElementsAre(file.string() + ": ISYM = 5 is not used: the roots are of irrep 1, the first "
                                          "reference's; states.irrep = 5 gives the others"));
  EXPECT_THAT(warnings({"Ag"}), ElementsAre());
  EXPECT_THAT(prepare_job(job("h2_sto3g.fcidump", {}, {}, "D2h")).warnings, ElementsAre());
  std::filesystem::remove(file);
}

}  // namespace test_sector_references
}  // namespace cisolve
