// SPDX-License-Identifier: MIT
// Basis sets by element and atom, and ghost atoms, through the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/run_program.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve::test {
namespace test_basis_tables {

using testing::HasSubstr;

class BasisTables : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  CiResult result_of(const std::string& input) {
    folder.write("job.inp", input);
    const ProgramResult run = run_program({"job.inp", "--device", "cpu"}, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_result(folder.path() / "job.h5", false);
  }

  void expect_refusal(const std::string& molecule, const std::vector<std::string>& parts) {
    folder.write("bad.inp", "[molecule]\n" + molecule);
    expect_refused(run_program({"bad.inp"}, folder.path()), parts);
    expect_refused(run_program({"bad.inp", "--check"}, folder.path()), parts);
  }

  ScratchFolder folder;
};

// PySCF 2.14 with basis sets of basis_set_exchange 0.12, scf.RHF, ci.CISD(frozen=1) and fci.FCI. It converts angstrom by
// CODATA 2010: up to 3e-11 of the repulsion of the nuclei.
constexpr double energy_tolerance = 1e-8;

const std::string water = "geometry = \"O 0 0 0.1173; H1 0 0.7572 -0.4692; H2 0 -0.7572 -0.4692\"\n";  // 1
const std::string three_sets = water + "basis = { O = \"cc-pVDZ\", h1 = \"6-31g\", default = \"sto-3g\" }\n";
const std::string cisd = "[space]\nexcitation_level = 2\nfrozen_core = \"auto\"\n";

TEST_F(BasisTables, GiveEachAtomItsSet) {
  const CiResult result = result_of("[molecule]\n" + three_sets + cisd);
  EXPECT_EQ(result.molecule->num_functions, 17);
  EXPECT_EQ(result.molecule->point_group, "Cs") << "the hydrogen atoms differ";
  EXPECT_EQ(result.molecule->basis, "cc-pVDZ (O), 6-31G (H1), STO-3G (H2)");
  EXPECT_NEAR(*result.system.scf_energy, -76.0049220508, energy_tolerance);
  EXPECT_NEAR(result.root(0).energy, -76.1945820174, energy_tolerance);
  EXPECT_THAT(result.resolved_text,
              HasSubstr("basis = { \"O\" = \"cc-pVDZ\", \"default\" = \"sto-3g\", \"h1\" = \"6-31g\" }"));
}

TEST_F(BasisTables, AreSectionsAndOptionsToo) {
  const CiResult section = result_of("[molecule]\n" + water +
                                     "[molecule.basis]\nO = \"cc-pVDZ\"\nH1 = \"6-31g\"\nH2 = \"sto-3g\"\n" +
                                     "[space]\nexcitation_level = 0\n");
  EXPECT_NEAR(section.root(0).energy, -76.0049220508, energy_tolerance);
  folder.write("job.inp", "[molecule]\n" + water + "basis = \"6-31g\"\n[space]\nexcitation_level = 0\n");
  const ProgramResult run = run_program(
      {"job.inp", "--set", "molecule.basis={O=\"cc-pVDZ\",H1=\"6-31g\",H2=\"sto-3g\"}"}, folder.path());
  EXPECT_THAT(run.out, HasSubstr("-76.0049220"));
}

TEST_F(BasisTables, TakeFilesBesideTheInput) {
  folder.write("own.gbs", "! name: own\nH 0\nS 1 1.0\n 0.5 1.0\n****\n");
  EXPECT_EQ(result_of("[molecule]\ngeometry = \"H 0 0 0; H1 0 0 0.74\"\n"
                      "basis = { default = \"sto-3g\", H1 = \"own.gbs\" }\n")
                .molecule->basis,
            "STO-3G (H), own (H1)");
}

TEST_F(BasisTables, OneSetSpeltInTwoWaysIsOne) {
  const CiResult result =
      result_of("[molecule]\n" + water + "basis = { default = \"sto-3g\", H1 = \"STO3G\" }\n");
  EXPECT_EQ(result.molecule->basis, "STO-3G");
  EXPECT_EQ(result.molecule->point_group, "C2v");
}

/// Exported orbitals, read by another run with the same table, give its energy: shells and atoms are what they were.
TEST_F(BasisTables, GoThroughResultAndExport) {
  const std::string rest = "[space]\nexcitation_level = 0\n";
  const CiResult result =
      result_of("[molecule]\n" + three_sets + rest + "[output]\nalso = [\"job.molden\", \"job.trexio\"]\n");
  for (const char* file : {"job.molden", "job.trexio", "job.h5"}) {
    folder.write("again.inp", "[molecule]\n" + three_sets + "[orbitals]\nfile = \"" + file + "\"\n" + rest);
    const ProgramResult again = run_program({"again.inp", "--device", "cpu"}, folder.path());
    ASSERT_EQ(again.exit_code, 0) << file << again.err;
    EXPECT_NEAR(read_result(folder.path() / "again.h5", false).root(0).energy, result.root(0).energy, 1e-9)
        << file;
  }
  const ProgramResult restart = run_program({"job.inp", "--restart"}, folder.path());
  EXPECT_EQ(restart.exit_code, 0) << restart.err;
}

TEST_F(BasisTables, HoldAlongAScan) {
  folder.write("job.inp",
               "[molecule]\ngeometry = \"He 0 0 0; Gh(He1) 0 0 2.0\"\nunit = \"bohr\"\n"
               "basis = { default = \"6-31g\", \"@He1\" = \"cc-pvdz\" }\n"
               "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [2.0, 4.0, 30.0]\n");
  const ProgramResult run = run_program({"job.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ScanResult scan = read_scan(folder.path() / "job.h5");
  ASSERT_EQ(scan.points.size(), 3U);
  EXPECT_LT(scan.points[0].energies[0], scan.points[1].energies[0]);
  EXPECT_LT(scan.points[1].energies[0], scan.points[2].energies[0])
      << "the ghost's functions help where they are near";
  const CiResult alone = result_of("[molecule]\ngeometry = \"He 0 0 0\"\nbasis = \"6-31g\"\n");
  EXPECT_NEAR(scan.points[2].energies[0], alone.root(0).energy, 1e-9) << "far away they do nothing";
}

TEST_F(BasisTables, ExampleGivesTheAtomOfACounterpoiseCorrection) {
  const ProgramResult run =
      run_program({CISOLVE_INPUTS "/he2_counterpoise.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CiResult result = read_result(folder.path() / "he2_counterpoise.h5", false);
  EXPECT_EQ(result.system.n_electrons, 2);
  EXPECT_EQ(result.molecule->charges, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(result.molecule->labels, (std::vector<std::string>{"He", "Gh(He)"}));
  EXPECT_NEAR(*result.system.scf_energy, -2.8557119361, energy_tolerance);
  EXPECT_NEAR(result.root(0).energy, -2.8895620330, energy_tolerance);
}

TEST_F(BasisTables, GhostsGoThroughResultAndExport) {
  const std::string molecule =
      "geometry = \"He 0 0 0; ghost-He 0 0 3.0\"\nunit = \"bohr\"\nbasis = \"aug-cc-pvdz\"\n";
  const std::string rest = "[space]\nexcitation_level = 0\n";
  const CiResult result =
      result_of("[molecule]\n" + molecule + rest + "[output]\nalso = [\"job.molden\", \"job.trexio\"]\n");
  for (const char* file : {"job.molden", "job.trexio", "job.h5"}) {
    folder.write("again.inp", "[molecule]\n" + molecule + "[orbitals]\nfile = \"" + file + "\"\n" + rest);
    const ProgramResult again = run_program({"again.inp", "--device", "cpu"}, folder.path());
    ASSERT_EQ(again.exit_code, 0) << file << again.err;
    EXPECT_NEAR(read_result(folder.path() / "again.h5", false).root(0).energy, result.root(0).energy, 1e-9)
        << file;
  }
}

TEST_F(BasisTables, AreRefusedWithASentence) {
  expect_refusal(water + "basis = { O = \"cc-pvdz\", H3 = \"6-31g\", default = \"sto-3g\" }\n",
                 {"bad.inp:3: molecule.basis has a set for \"H3\", which is no atom of the molecule",
                  "O, H1, H, H2 or default"});
  expect_refusal(water + "basis = { O = \"cc-pvdz\", H1 = \"6-31g\" }\n",
                 {"bad.inp:3: molecule.basis has no set for atom 3, H2; give H one, or a default"});
  expect_refusal(water + "basis = { default = \"cc-pvqx\" }\n",
                 {"bad.inp:3: molecule.basis: basis 'cc-pvqx'", "the nearest is cc-pVQZ"});
  expect_refusal(water + "basis = { default = \"cc-pvdz\", O = 3 }\n",
                 {"bad.inp:3: molecule.basis must be", "a table in which \"O\" is no string"});
  expect_refusal(water + "basis = { default = \"cc-pvdz\", H = \"sto-3g\", h = \"6-31g\" }\n",
                 {"bad.inp:3: molecule.basis names \"h\" twice"});
  expect_refusal(water + "basis = {}\n", {"bad.inp:3: molecule.basis must be", "an empty table"});
  expect_refusal(water + "basis = { default = \"\" }\n", {"bad.inp:3:", "an empty string for \"default\""});
  expect_refusal(
      water + "basis = { default = \"6-31g(d)\", H1 = \"cc-pvtz\" }\n[output]\nalso = \"a.molden\"\n",
      {"bad.inp:5: output.also: a.molden: shells D are Cartesian on some atoms"});
  expect_refusal(
      "geometry = \"O 0 0 0; Gh(H) 0 0 0\"\nbasis = \"sto-3g\"\n",
      {"bad.inp:2: molecule.geometry: atoms 1 (O) and 2 (Gh(H)) are 0.0000 bohr apart; a ghost needs 0.001"});
  expect_refusal("geometry = \"Gh(H) 0 0 0\"\nbasis = \"sto-3g\"\n",
                 {"bad.inp:2: molecule.geometry: all of its atoms are ghosts; one at least needs a nucleus"});
}

}  // namespace test_basis_tables
}  // namespace cisolve::test
