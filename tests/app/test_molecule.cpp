// SPDX-License-Identifier: MIT
// From a geometry and a basis to energies, by the program.
#include <gtest/gtest.h>

#include "app/run_program.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/result_file.hpp"

namespace cisolve::test {
namespace test_molecule {

const std::string water =
    "[molecule]\n"                                                                    // 1
    "geometry = \"\"\"\nO1 0 0 0\nH1 0 0.7572 0.5865\nH2 0 -0.7572 0.5865\n\"\"\"\n"  // 2 to 6
    "basis = \"sto-3g\"\n";                                                           // 7

class MoleculeProgram : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_F(MoleculeProgram, ExampleGivesTheRootsOfItsFcidump) {
  const ScratchFolder folder;
  const ProgramResult run = run_program({CISOLVE_INPUTS "/h2o.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CiResult result = read_result(folder.path() / "h2o.h5", false);
  ASSERT_EQ(result.roots.size(), 4U);
  EXPECT_NEAR(result.root(0).energy, -76.20013975, 1e-7);
  EXPECT_EQ(result.root(1).irrep_name, "B1") << "the lowest excited state is a triplet of another irrep";
  EXPECT_NEAR(result.root(1).s_squared, 2.0, 1e-8);
  for (const Root& root : {result.root(0), result.root(1), result.root(2), result.root(3)})
    EXPECT_GT(root.reference_weight, 0.9) << "states are compared that have references alike";
  ASSERT_TRUE(result.molecule.has_value());
  EXPECT_EQ(result.molecule->basis, "6-31G(d)");
  EXPECT_EQ(result.molecule->functions, "cartesian");
  EXPECT_NEAR(result.system.scf_energy.value(), -76.0105039009, 1e-8);
  EXPECT_NEAR(result.system.reference_energy, *result.system.scf_energy, 1e-9);
  // What a run prints, `show` prints again, up to the line that says where the results are.
  const ProgramResult show = run_program({"show", "h2o.h5"}, folder.path());
  EXPECT_EQ(show.exit_code, 0);
  EXPECT_EQ(run.out.substr(0, show.out.size()), show.out);
}

TEST_F(MoleculeProgram, RootsWithoutReferencesAreWarnedOf) {
  const ScratchFolder folder;
  const auto warnings = [&](const std::string& irreps, const std::string& count) {
    const ProgramResult run = run_program(
        {CISOLVE_INPUTS "/h2o.inp", "--device", "cpu", "--set", "molecule.basis=sto-3g", "--set",
         "states.irrep=" + irreps, "--set", "states.multiplicity=1", "--set", "states.count=" + count},
        folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_result(folder.path() / "h2o.h5", false).warnings;
  };
  EXPECT_TRUE(warnings("[\"A1\", \"B1\"]", "1").empty());
  const std::vector<std::string> found = warnings("all", "2");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].find("root 2 has less than half of its weight in the references: "), 0U) << found[0];
}

TEST_F(MoleculeProgram, RootsOfAnotherSpinThatLieLowerDoNotComeUp) {
  // Ms = 1 among quintets that lie lower.
  const ScratchFolder folder;
  folder.write("job.inp",
               "[molecule]\ngeometry = \"N 0 0 0; N 0 0 0.9\"\nbasis = \"sto-3g\"\n"
               "[space]\nexcitation_level = \"full\"\nfrozen_core = \"auto\"\n"
               "[states]\ncount = 2\nirrep = \"Ag\"\nmultiplicity = 3\n[run]\ndevice = \"cpu\"\n");
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err.find("a root of another spin was found"), std::string::npos) << run.err;
  const ProgramResult show = run_program({"show", "job.h5"}, folder.path());
  EXPECT_EQ(run.out.substr(0, show.out.size()), show.out);
}

TEST_F(MoleculeProgram, ListsAllOrbitalsWhereMoreIsAskedFor) {
  const ScratchFolder folder;
  folder.write("job.inp",
               "[molecule]\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\nbasis = \"6-31g\"\n"
               "[run]\ndevice = \"cpu\"\n");
  const ProgramResult brief = run_program({"job.inp"}, folder.path()),
                      all = run_program({"job.inp", "-v"}, folder.path());
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_NE(brief.out.find("3 more are empty"), std::string::npos) << brief.out;
  EXPECT_EQ(brief.out.find("7a1"), std::string::npos);
  EXPECT_NE(all.out.find("  7a1  "), std::string::npos) << all.out;
  const ProgramResult show = run_program({"show", "job.h5", "-v"}, folder.path());
  EXPECT_EQ(all.out.substr(0, show.out.size()), show.out);
}

TEST_F(MoleculeProgram, ARefusedActiveSpaceStandsBelowTheOrbitals) {
  const ScratchFolder folder;
  folder.write("job.inp", water + "[space]\nreference = { electrons = 4, orbitals = [5, 30] }\n");
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("  1b1   O1 2p 1.00\n"), std::string::npos) << run.out;
}

TEST_F(MoleculeProgram, WarnsOfDistancesThatLookLikeAMistake) {
  const ScratchFolder folder;
  const std::string basis = "basis = \"sto-3g\"\n[run]\ndevice = \"cpu\"\n";
  folder.write(
      "bohr.inp",
      "[molecule]\nunit = \"bohr\"\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\n" + basis);
  const ProgramResult bohr = run_program({"bohr.inp", "--check"}, folder.path());
  EXPECT_EQ(bohr.exit_code, 0) << bohr.err;
  EXPECT_NE(bohr.out.find("atoms O and H2 are 0.509 angstrom apart"), std::string::npos) << bohr.out;
  EXPECT_NE(bohr.out.find("molecule.unit = \"angstrom\""), std::string::npos) << bohr.out;
  folder.write("long.inp", "[molecule]\ngeometry = \"O 0 0 0; H 0 0 1.9; H 0 0.93 -0.24\"\n" + basis);
  const ProgramResult longer = run_program({"long.inp", "--check"}, folder.path());
  EXPECT_NE(longer.out.find("atoms O and H2 are 1.900 angstrom apart, and none is nearer"), std::string::npos)
      << longer.out;
  // A scan goes where there are no bonds.
  folder.write("scan.inp", "[molecule]\ngeometry = \"H 0 0 0; H 0 0 0.74\"\n" + basis +
                               "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [3.0]\n");
  const ProgramResult scan = run_program({"scan.inp", "--check"}, folder.path());
  EXPECT_EQ(scan.exit_code, 0) << scan.err;
  EXPECT_EQ(scan.out.find("angstrom apart"), std::string::npos) << scan.out;
}

TEST_F(MoleculeProgram, WrittenFcidumpGivesTheSameEnergies) {
  const ScratchFolder folder;
  folder.write("job.inp", water + "[space]\nfrozen_core = \"auto\"\n[states]\ncount = 2\n");
  ASSERT_EQ(run_program({"job.inp", "--device", "cpu"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_program({"job.inp", "--write-fcidump", "job.fcidump"}, folder.path()).exit_code, 0);
  folder.write("again.inp",
               "[integrals]\nfile = \"job.fcidump\"\npoint_group = \"C2v\"\n[states]\ncount = 2\n");
  ASSERT_EQ(run_program({"again.inp", "--device", "cpu"}, folder.path()).exit_code, 0);
  const CiResult direct = read_result(folder.path() / "job.h5", false),
                 again = read_result(folder.path() / "again.h5", false);
  EXPECT_EQ(direct.system.integrals_hash, again.system.integrals_hash);  // 17 digits: the same bits
  EXPECT_EQ(direct.column(&Root::energy), again.column(&Root::energy));
  EXPECT_EQ(direct.system.n_frozen_core, 1);
  EXPECT_EQ(read_fcidump(folder.path() / "job.fcidump").num_electrons, 8);
}

TEST_F(MoleculeProgram, RestartsWithOtherThreads) {
  const ScratchFolder folder;
  folder.write("job.inp",
               "[molecule]\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\nbasis = \"6-31g\"\n"
               "[output]\ncheckpoint_interval = 0\n");
  ASSERT_EQ(
      run_program({"job.inp", "--set", "solver.max_iterations=2", "--threads", "1"}, folder.path()).exit_code,
      2);
  const ProgramResult restarted = run_program({"job.inp", "--restart", "--threads", "2"}, folder.path());
  EXPECT_EQ(restarted.exit_code, 0) << restarted.err;
}

TEST_F(MoleculeProgram, CheckWritesNothing) {
  const ScratchFolder folder;
  folder.write("job.inp", water);
  const ProgramResult check = run_program({"job.inp", "--check"}, folder.path());
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.out.find("nothing was run"), std::string::npos);
  EXPECT_EQ(folder.files(), std::vector<std::string>{"job.inp"});
}

TEST_F(MoleculeProgram, ReadsXyzFilesAndBasisFiles) {
  const ScratchFolder folder;
  folder.write("h2.xyz", "2\nhydrogen\nH 0 0 -0.37\nH 0 0 0.37\n");
  folder.write("own.gbs", "! name: own\nH 0\nS 1 1.0\n 0.5 1.0\n****\n");
  folder.write("job.inp", "[molecule]\ngeometry_file = \"h2.xyz\"\nbasis = \"own.gbs\"\n");
  const ProgramResult run = run_program({"job.inp", "--device", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_result(folder.path() / "job.h5", false).molecule->basis, "own");
}

TEST_F(MoleculeProgram, AnScfThatDoesNotConvergeEndsTheRun) {
  const ScratchFolder folder;
  folder.write("job.inp", water);
  expect_refused(run_program({"job.inp", "--set", "molecule.scf_max_iterations=3"}, folder.path()),
                 {"SCF did not converge in 3 iterations", "molecule.level_shift"});
}

struct BadMolecule {
  const char* name;
  std::string input;
  std::vector<std::string> parts;
};

void PrintTo(const BadMolecule& bad, std::ostream* stream) { *stream << bad.name; }

class BadMoleculeIsRefused : public testing::TestWithParam<BadMolecule> {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_P(BadMoleculeIsRefused, WithOneSentenceAndNoResult) {
  const ScratchFolder folder;
  folder.write("job.inp", GetParam().input);
  folder.write("bad.xyz", "3\nwater\nO 0 0 0\nH 0 0 one\nH 0 0 -1\n");
  folder.write("short.xyz", "3\nwater\nO 0 0 0\n");
  expect_refused(run_program({"job.inp"}, folder.path()), GetParam().parts);
  EXPECT_EQ(folder.files().size(), 3U);
}

std::string molecule(const std::string& geometry, const std::string& rest) {
  return "[molecule]\ngeometry = \"" + geometry + "\"\n" + rest;
}

INSTANTIATE_TEST_SUITE_P(
    Program, BadMoleculeIsRefused,
    testing::Values(
        BadMolecule{"UnknownElement",
                    molecule("Hx 0 0 0", "basis = \"sto-3g\"\n"),
                    {"job.inp:2: molecule.geometry, line 1", "'Hx'"}},
        BadMolecule{"BadCoordinate",
                    molecule("H 0 0 zero", "basis = \"sto-3g\"\n"),
                    {"job.inp:2:", "'zero'", "coordinate"}},
        BadMolecule{"UnknownBasis",
                    molecule("H 0 0 0", "basis = \"6-32g(d)\"\n"),
                    {"job.inp:3:", "'6-32g(d)'", "the nearest is 6-31G(d)"}},
        BadMolecule{"ElementWithoutBasis",
                    molecule("Pt 0 0 0", "basis = \"sto-3g\"\n"),
                    {"job.inp:3:", "STO-3G has no Pt", "it has H-Xe"}},
        BadMolecule{
            "CorePotential",
            molecule("Ag 0 0 0; H 0 0 1.62", "basis = \"def2-svp\"\n"),
            {"job.inp:3: molecule.basis: the basis def2-SVP leaves the core of Ag to an effective core",
             "an FCIDUMP file (docs/basis_sets.md shows how with PySCF)"}},
        BadMolecule{"ShellsBeyondH",
                    molecule("Ti 0 0 0", "basis = \"cc-pv5z\"\n"),
                    {"job.inp:3:", "cc-pV5Z has i shells on Ti; shells up to h can be used"}},
        BadMolecule{"OddElectronsAsSinglet",
                    molecule("H 0 0 0", "basis = \"sto-3g\"\nmultiplicity = 1\n"),
                    {"job.inp:4:", "1 electrons", "even"}},
        BadMolecule{"TwoAtomsAtOnePlace",
                    molecule("H 0 0 0; H 0 0 0.01", "basis = \"sto-3g\"\n"),
                    {"job.inp:2:", "atoms 1 (H) and 2 (H)"}},
        BadMolecule{"UnreadableXyz",
                    "[molecule]\ngeometry_file = \"bad.xyz\"\nbasis = \"sto-3g\"\n",
                    {"job.inp:2:", "bad.xyz:4:", "'one'"}},
        BadMolecule{"ShortXyz",
                    "[molecule]\ngeometry_file = \"short.xyz\"\nbasis = \"sto-3g\"\n",
                    {"job.inp:2:", "short.xyz:3:", "3 atoms"}},
        BadMolecule{"AbsentXyz",
                    "[molecule]\ngeometry_file = \"absent.xyz\"\nbasis = \"sto-3g\"\n",
                    {"job.inp:2:", "absent.xyz", "no such file"}},
        BadMolecule{
            "SymmetryItHasNot",
            molecule("O 0 0 0; H 0 0.7 0.5; H 0 -0.7 0.5", "basis = \"sto-3g\"\nsymmetry = \"D2h\"\n"),
            {"job.inp:4:", "D2h", "the largest group it has is C2v"}},
        BadMolecule{"UnknownSymmetry",
                    molecule("H 0 0 0; H 0 0 1", "basis = \"sto-3g\"\nsymmetry = \"D6h\"\n"),
                    {"job.inp:4:", "'D6h'", "D2h"}},
        BadMolecule{"NoBasis", molecule("H 0 0 0; H 0 0 1", ""), {"job.inp", "no basis"}},
        BadMolecule{"NoGeometry",
                    "[molecule]\nbasis = \"sto-3g\"\n",
                    {"job.inp", "neither of geometry and geometry_file"}},
        BadMolecule{"ChargeWithoutItsCharge",
                    molecule("H 0 0 0; H 0 0 1", "basis = \"sto-3g\"\ncharges = [[0, 0, 3, 1], [0, 3, 0]]\n"),
                    {"job.inp:4: molecule.charges", "3 numbers in point charge 2"}},
        BadMolecule{"ChargesThatAreNone",
                    molecule("H 0 0 0; H 0 0 1", "basis = \"sto-3g\"\ncharges = [0, 0, 3, 1]\n"),
                    {"job.inp:4: molecule.charges", "[[x, y, z, charge], ...]"}},
        BadMolecule{"ChargesTwice",
                    molecule("H 0 0 0; H 0 0 1",
                             "basis = \"sto-3g\"\ncharges_file = \"a\"\ncharges = [[0, 0, 3, 1]]\n"),
                    {"job.inp:4: molecule.charges_file contradicts molecule.charges"}},
        BadMolecule{"ChargeOnANucleus",
                    molecule("H 0 0 0; H 0 0 1", "basis = \"sto-3g\"\ncharges = [[0, 0, 0, 1]]\n"),
                    {"job.inp:4: molecule.charges", "point charge 1 is 0.0000 bohr from atom 1 (H)"}},
        BadMolecule{"FieldOfTwo",
                    molecule("H 0 0 0; H 0 0 1", "basis = \"sto-3g\"\nfield = [0, 0.1]\n"),
                    {"job.inp:4: molecule.field has 2 numbers"}},
        BadMolecule{"SymmetryThatTheFieldBreaks",
                    molecule("O 0 0 0; H 0 0.7 0.5; H 0 -0.7 0.5",
                             "basis = \"sto-3g\"\nsymmetry = \"C2v\"\nfield = [0.01, 0, 0]\n"),
                    {"job.inp:4:", "with what is around it, does not have the symmetry C2v"}},
        BadMolecule{"SinglyAlone",
                    molecule("H 0 0 0", "basis = \"sto-3g\"\nsingly_occupied = [1]\n"),
                    {"job.inp:4:", "doubly_occupied"}},
        BadMolecule{"TooCharged",
                    molecule("H 0 0 0", "basis = \"sto-3g\"\ncharge = 1\n"),
                    {"job.inp:4:", "0 electrons"}},
        BadMolecule{"WrongOccupation",
                    molecule("H 0 0 0; H 0 0 1", "basis = \"sto-3g\"\ndoubly_occupied = [2]\n"),
                    {"molecule.doubly_occupied", "2 orbitals"}},
        BadMolecule{"CoresOfAFile",
                    "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                    "/h2_sto3g.fcidump\"\n[space]\nfrozen_core = \"auto\"\n",
                    {"job.inp:4:", "space.frozen_core", "[molecule]"}}),
    [](const auto& bad) { return std::string(bad.param.name); });

}  // namespace test_molecule
}  // namespace cisolve::test
