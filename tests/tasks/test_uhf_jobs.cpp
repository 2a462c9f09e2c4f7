// SPDX-License-Identifier: MIT
// CIs over UHF orbitals of a molecule. Expected energies: a brute-force CI over PySCF 2.14's UHF orbitals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_uhf_jobs {

using testing::HasSubstr;

constexpr double other_digits = 2e-7;  // hartree: PySCF's sets have other digits
constexpr double converged = 1e-9;     // hartree: the square of residual norms below 1e-6, over gaps of 0.1

const std::string hydroxyl = "geometry = \"O 0 0 0; H 0 0 0.97\"\nbasis = \"sto-3g\"\n";
const std::string nitric_oxide =
    "geometry = \"N 0 0 0; O 0 0 1.15\"\nbasis = \"sto-3g\"\ndoubly_occupied = [5, 1, 1]\n"
    "singly_occupied = [0, 1]\n";
const std::string oxygen = "geometry = \"O 0 0 0; O 0 0 1.2075\"\nbasis = \"sto-3g\"\nmultiplicity = 1\n";
const std::string hydrogen = "geometry = \"H 0 0 0; H 0 0 2.0\"\nbasis = \"6-31g\"\nsymmetry = \"C2v\"\n";
const std::string uhf = "method = \"uhf\"\n";

class UhfJobs : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  static CiConfig config_of(const std::string& molecule, const std::string& rest = "") {
    return read_ci_config(parse_input("[molecule]\n" + molecule + rest, "job.inp"));
  }

  /// Through the result file and back.
  CiResult run(const std::string& molecule, const std::string& rest = "") const {
    CiConfig config = config_of(molecule, rest);
    config.device = DeviceChoice::cpu;
    config.output_file = result_file();
    config.checkpoint_file = folder_ / "job.chk.h5";
    return run_and_read(config);
  }

  static std::string refusal(const std::string& molecule, const std::string& rest) {
    try {
      config_of(molecule, rest);
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  }

  std::filesystem::path result_file() const { return folder_ / "job.h5"; }

  test::TemporaryFolder folder_;
};

TEST_F(UhfJobs, FullCiIsThatOfRestrictedOrbitals) {
  const std::string full = "[space]\nexcitation_level = \"full\"\n[states]\ncount = 3\nirrep = \"all\"\n";
  for (const std::string& molecule : {hydroxyl, hydrogen}) {
    const CiResult unrestricted = run(molecule + uhf, full), restricted = run(molecule, full);
    for (std::size_t k = 0; k < 3; ++k) {
      const Root &a = unrestricted.root(k), &b = restricted.root(k);
      EXPECT_NEAR(a.energy, b.energy, converged) << k;
      // Of the two densities over their own orbitals; of the components of a Pi state the sum.
      EXPECT_NEAR(a.dipole.at(2), b.dipole.at(2), 1e-5) << k;
      EXPECT_NEAR(a.mulliken_charges.at(0), b.mulliken_charges.at(0), 1e-5) << k;
    }
  }
}

TEST_F(UhfJobs, SpinPopulationsAreThoseOfBothSpins) {
  const std::string full = "[space]\nexcitation_level = \"full\"\n";
  const CiResult unrestricted = run(hydroxyl + uhf, full), restricted = run(hydroxyl, full);
  EXPECT_NEAR(unrestricted.root(0).spin_populations.at(0), restricted.root(0).spin_populations.at(0), 1e-5);
  EXPECT_NEAR(unrestricted.root(0).spin_populations.at(1), restricted.root(0).spin_populations.at(1), 1e-5);
}

TEST_F(UhfJobs, EnergiesAgreeWithBruteForce) {
  const std::string cisd = "[solver]\ntolerance = 1e-8\n";
  EXPECT_NEAR(run(hydroxyl + uhf, cisd).root(0).energy, -74.38718440414739, other_digits);
  EXPECT_NEAR(run(nitric_oxide + uhf, cisd).root(0).energy, -127.6497740985168, other_digits);
  // Over a frozen core of both spins, which full CI depends on: restricted orbitals give 1e-6 hartree less.
  const std::string frozen = "[space]\nexcitation_level = \"full\"\nfrozen_core = ";
  EXPECT_NEAR(run(hydroxyl + uhf, frozen + "1\n" + cisd).root(0).energy, -74.38715429805228, other_digits);
  EXPECT_NEAR(run(nitric_oxide + uhf, frozen + "2\n" + cisd).root(0).energy, -127.6588000297148,
              other_digits);
}

TEST_F(UhfJobs, TheReferenceIsTheScfDeterminant) {
  for (const std::string& molecule : {hydroxyl, nitric_oxide, hydrogen, oxygen}) {
    const CiResult result = run(molecule + uhf, "[space]\nexcitation_level = 0\n");
    EXPECT_NEAR(result.system.reference_energy, result.system.scf_energy.value(), converged);
  }
}

TEST_F(UhfJobs, ADeterminantThatIsNotTheFirstOrbitalsBecomesTheReference) {
  const CiResult result = run(oxygen + uhf, "[space]\nfrozen_core = 2\n");
  EXPECT_EQ(result.sectors[0].space.reference, "22222ud0");
  EXPECT_NEAR(result.system.reference_energy, result.system.scf_energy.value(), converged);
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("space.reference = [\"22222ud\"] is taken")));
  // Only where nothing else is asked for.
  for (const std::string& other :
       {std::string("[states]\nirrep = \"Ag\"\n"), std::string("[states]\nms2 = 2\n"),
        std::string("[space]\nreference = \"first-orbitals\"\n"),
        std::string("[space]\nfrozen_core = [1, 2, 3, 4, 5, 6, 8]\n")}) {
    const CiResult asked = run(oxygen + uhf, other);
    EXPECT_THAT(asked.warnings, Not(testing::Contains(HasSubstr("is taken")))) << other;
  }
}

TEST_F(UhfJobs, ResultHoldsOrbitalsOfBothSpins) {
  const CiResult result = run(nitric_oxide + uhf, "[space]\nexcitation_level = 0\n");
  const CiResult::Molecule& molecule = result.molecule.value();
  EXPECT_EQ(molecule.method, "UHF");
  EXPECT_NEAR(molecule.s_squared.value(), 0.9611722621015613, 2e-6);
  EXPECT_GT(molecule.restricted_energy.value(), result.system.scf_energy.value() + 1e-3);
  const std::vector<std::int32_t> alpha = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0},
                                  beta = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
  EXPECT_EQ(molecule.occupations, alpha);
  EXPECT_EQ(molecule.beta_occupations, beta);
  ASSERT_EQ(molecule.beta_energies.size(), 10U);
  EXPECT_EQ(molecule.beta_coefficients.size(), molecule.coefficients.size());
  EXPECT_NE(molecule.beta_coefficients, molecule.coefficients);
  EXPECT_EQ(molecule.beta_contributions.size(), 10U);
  std::ostringstream report;
  print_scf(report, molecule, *result.system.scf_energy, true);
  EXPECT_THAT(report.str(), AllOf(HasSubstr("UHF, converged"), HasSubstr("below ROHF"),
                                  HasSubstr("0.961172, of a pure spin 0.75"),
                                  HasSubstr("alpha occupied          5 A1, 2 B1, 1 B2"),
                                  HasSubstr("beta occupied           5 A1, 1 B1, 1 B2"),
                                  HasSubstr("    alpha  occ."), HasSubstr("     beta  occ.")));
  // A restricted one has none of it.
  const CiResult restricted = run(nitric_oxide, "[space]\nexcitation_level = 0\n");
  EXPECT_EQ(restricted.molecule->method, "ROHF");
  EXPECT_TRUE(restricted.molecule->beta_energies.empty());
  EXPECT_FALSE(restricted.molecule->s_squared.has_value());
}

TEST_F(UhfJobs, MoldenFilesHoldBothSpins) {
  run(hydroxyl + uhf, "[space]\nexcitation_level = 0\n");
  std::ostringstream report;
  export_result(result_file(), folder_ / "job.molden", {}, report);
  EXPECT_THAT(report.str(), HasSubstr("6 SCF orbitals of each spin"));
  std::ifstream file(folder_ / "job.molden");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("Spin= Alpha"), 6);
  EXPECT_EQ(count("Spin= Beta"), 6);
  EXPECT_LT(text.rfind("Spin= Alpha"), text.find("Spin= Beta"));
  EXPECT_EQ(count("Occup= 1.0"), 9);
}

TEST_F(UhfJobs, OtherFilesAreRefused) {
  run(hydroxyl + uhf, "[space]\nexcitation_level = 0\n");
  std::ostringstream report;
  const auto refused = [&](const char* name, const ExportOptions& options) {
    try {
      export_result(result_file(), folder_ / name, options, report);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refused("job.trexio", {}),
              HasSubstr("TREXIO files are written of orbitals that both spins share"));
  EXPECT_THAT(refused("job.molden", {.natural = true}), HasSubstr("--natural"));
  const std::string file = "[orbitals]\nfile = \"" + result_file().string() + "\"\n";
  CiConfig config = config_of(hydroxyl, file);
  EXPECT_THROW(run_and_read(config), InputError);
}

TEST_F(UhfJobs, WhatNeedsOrbitalsOfBothSpinsIsRefused) {
  const std::string molecule = hydroxyl + uhf;
  const auto expect = [&](const std::string& rest, const std::string& key) {
    EXPECT_THAT(refusal(molecule, rest),
                AllOf(HasSubstr(key + " does not go with molecule.method = \"uhf\""), HasSubstr("job.inp:")));
    EXPECT_EQ(refusal(hydroxyl, rest), "not refused") << rest;
  };
  expect("[space]\nbasis = \"csf\"\n", "space.basis");
  expect("[states]\nmultiplicity = 2\n", "states.multiplicity");
  expect(
      "[space]\nreference = { electrons = 3, orbitals = 3 }\nexcitation_level = 0\n[orbitals]\noptimise = "
      "\"casscf\"\n",
      "orbitals.optimise");
  expect("[output]\nnatural_orbitals = \"average\"\n", "output.natural_orbitals");
  expect("[output]\nalso = [\"job.trexio\"]\n", "output.also");
  EXPECT_EQ(refusal(molecule, "[output]\nalso = [\"job.molden\"]\n"), "not refused");
  EXPECT_THAT(refusal(hydroxyl + "method = \"uks\"\n", ""), HasSubstr("molecule.method"));
  // What a result says of its input is an input.
  const CiConfig config = config_of(molecule);
  EXPECT_EQ(read_ci_config(parse_input(config.resolved_text, "again.inp")).resolved_text,
            config.resolved_text);
}

TEST_F(UhfJobs, SpaceIsThatOfExcitationsAlone) {
  // Completed for spin the space of a restricted reference is larger.
  const auto dimension = [&](const std::string& molecule) {
    return run(molecule, "[states]\nirrep = \"all\"\n").sectors[0].space.dimension;
  };
  const auto by_excitations = [&](const std::string& molecule) {
    return run(molecule, "[space]\nspin_complete = false\n[states]\nirrep = \"all\"\n")
        .sectors[0]
        .space.dimension;
  };
  EXPECT_EQ(dimension(nitric_oxide + uhf), by_excitations(nitric_oxide));
  EXPECT_LT(dimension(nitric_oxide + uhf), dimension(nitric_oxide));
}

TEST_F(UhfJobs, PointsOfAScanBeginAnew) {
  const std::string scan =
      "[space]\nexcitation_level = \"full\"\n[scan]\ncoordinate = \"bond 1 2\"\nvalues = [0.8, 2.0]\n";
  const Input input = parse_input("[molecule]\n" + hydrogen + uhf + scan, "job.inp");
  const ScanConfig config = read_scan_config(input);
  EXPECT_FALSE(config.warm_start);
  const auto refused = [&](const std::string& more) {
    try {
      read_scan_config(parse_input("[molecule]\n" + hydrogen + uhf + scan + more, "job.inp"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refused("scf_state = \"follow\"\n"), HasSubstr("scan.scf_state does not go with"));
  EXPECT_THAT(refused("[solver]\nfollow = true\n"), HasSubstr("solver.follow does not go with"));
  EXPECT_EQ(refused(""), "not refused");
}

}  // namespace test_uhf_jobs
}  // namespace cisolve
