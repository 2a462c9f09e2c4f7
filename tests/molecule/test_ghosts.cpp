// SPDX-License-Identifier: MIT
// Ghost atoms: functions without nuclei and electrons. Atoms of one element with different basis sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "cisolve/molecule/gaussian94.hpp"
#include "cisolve/molecule/molden.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "cisolve/molecule/trexio_basis.hpp"
#include "io/temporary_folder.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_ghosts {

using test::TestMolecule;
using testing::HasSubstr;

Geometry parsed(const std::string& text) { return parse_geometry(text, LengthUnit::angstrom, "test"); }

std::string group_of(const Geometry& geometry) {
  return find_symmetry(geometry, "auto", {}, "test").group.name();
}

TEST(Ghosts, AreReadAsOtherProgramsWriteThem) {
  for (const char* label : {"Gh(O1)", "gh(O1)", "@O1", "ghost-O1", "GHOST_O1", "Ghost:O1", "ghost.O1",
                            "GhostO1", "X-O1", "x_O1", "Bq-O1", "bqO1", "O1-Bq", "O1:", "O1 :"}) {
    const Geometry geometry = parsed(std::string("H 0 0 0; ") + label + " 0 0 1");
    const Atom& ghost = geometry.atoms.back();
    EXPECT_EQ(ghost.label, "Gh(O1)") << label;
    EXPECT_EQ(ghost.charge, 0) << label;
    EXPECT_EQ(ghost.element(), 8) << label;
    EXPECT_TRUE(ghost.is_ghost()) << label;
  }
  EXPECT_FALSE(parsed("Xe 0 0 0").atoms[0].is_ghost());
  EXPECT_EQ(parsed("Ge1 0 0 0").atoms[0].charge, 32);
}

TEST(Ghosts, HaveNeitherChargeNorBonds) {
  const Geometry water = parsed("O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59");
  const Geometry with = parsed("O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59; Gh(O) 0 0 -0.5; Gh(Kr) 0 0.76 0.5");
  EXPECT_EQ(total_charge(with), 10);
  EXPECT_EQ(nuclear_energy(with), nuclear_energy(water));
  EXPECT_EQ(charge_centre(with), charge_centre(water));
  EXPECT_EQ(noble_gas_core(with), 1);
  EXPECT_EQ(find_bonds(with).size(), 2U);
  EXPECT_TRUE(find_odd_distances(with).empty());
  EXPECT_EQ(atom_names(parsed("H 0 0 0; @O 0 0 1; @O 0 0 2")),
            (std::vector<std::string>{"H", "Gh(O2)", "Gh(O3)"}));
  check_distances(with, {}, "test");
  EXPECT_THROW(check_distances(parsed("O 0 0 0; Gh(H) 0 0 0.0001"), {}, "test"), InputError);
  EXPECT_THROW(parsed("Gh(O) 0 0 0; @H 0 0 1"), InputError) << "nothing to calculate";
}

/// A ghost is neither the atom nor nothing.
TEST(Ghosts, ArePartOfThePointGroup) {
  EXPECT_EQ(group_of(parsed("O 0 0 0; O 0 0 1.2")), "D2h");
  EXPECT_EQ(group_of(parsed("O 0 0 0; Gh(O) 0 0 1.2")), "C2v");
  EXPECT_EQ(group_of(parsed("O 0 0 0; Gh(H) 0 0 1.2; Gh(H) 0 0 -1.2")), "D2h");
  EXPECT_EQ(group_of(parsed("O 0 0 0; Gh(H) 0 0 1.2; H 0 0 -1.2")), "C2v");
  EXPECT_EQ(group_of(parsed("O 0 0 0; O 0 0 1.2; Gh(H) 1 0.3 0.4")), "Cs");
}

TEST(AtomsWithOtherSets, AreNotExchangedBySymmetry) {
  Geometry water = parsed("O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59");
  EXPECT_EQ(group_of(water), "C2v");
  water.atoms[2].set = 1;
  EXPECT_EQ(group_of(water), "Cs");
}

class GhostIntegrals : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

// PySCF 2.14, scf.RHF with atoms "ghost-O" and "ghost-H", cc-pVDZ of basis_set_exchange 0.12; it converts angstrom by
// CODATA 2010, which is up to 3e-11 of the repulsion of the nuclei.
constexpr double energy_tolerance = 1e-8;
constexpr const char* first = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587; ";
constexpr const char* second = "O 0 0 -2.9; H 0 0 -1.94; H 0 0.93 -3.14; ";
constexpr const char* first_ghost = "@O 0 0 0; @H 0 0.757 0.587; @H 0 -0.757 0.587; ";
constexpr const char* second_ghost = "Gh(O) 0 0 -2.9; Gh(H) 0 0 -1.94; Gh(H) 0 0.93 -3.14; ";

double scf_energy(const std::string& atoms, const std::string& symmetry = "auto") {
  const TestMolecule molecule(atoms, "cc-pVDZ", symmetry);
  EXPECT_EQ(molecule.basis.num_functions, 48);
  return run_scf(molecule.view(), molecule.electrons(0, 1)).energy;
}

/// The counterpoise correction of a water dimer.
TEST_F(GhostIntegrals, GiveTheEnergiesOfPyscf) {
  EXPECT_NEAR(scf_energy(std::string(first) + second), -152.0614083555, energy_tolerance);
  EXPECT_NEAR(scf_energy(std::string(first) + second_ghost), -76.0291631176, energy_tolerance);
  EXPECT_NEAR(scf_energy(std::string(second) + first_ghost), -76.0270101474, energy_tolerance);
  EXPECT_NEAR(scf_energy(std::string(second_ghost) + first, "c1"), -76.0291631176, energy_tolerance);
}

TEST_F(GhostIntegrals, GoThroughAMoldenFile) {
  const TestMolecule molecule("He 0 0 0; Gh(H1) 0 0 1.1", "6-31g(d,p)");
  const int n = molecule.basis.num_functions;
  MoldenOrbitals orbitals{"", molecule.frame.geometry, molecule.basis, Matrix(n, 1), {"1a1"}, {-0.9}, {2.0}};
  const std::string text = molden_text(orbitals);
  EXPECT_THAT(text, HasSubstr("Gh(H)     2    0 "));
  const auto file = test::process_folder() / "ghost.molden";
  std::ofstream(file) << text;
  const Geometry geometry = read_molden(file).geometry;
  ASSERT_EQ(geometry.atoms.size(), 2U);
  EXPECT_TRUE(geometry.atoms[1].is_ghost());
  EXPECT_EQ(geometry.atoms[1].element(), 1);
}

/// Water with a set for oxygen and one for each hydrogen atom.
struct ThreeSets {
  ThreeSets(const char* of_oxygen, const char* of_first, const char* of_second)
      : sets{read_basis_set(of_oxygen, CISOLVE_BASIS_SETS), read_basis_set(of_first, CISOLVE_BASIS_SETS),
             read_basis_set(of_second, CISOLVE_BASIS_SETS)} {
    geometry.atoms[1].set = 1;
    geometry.atoms[2].set = 2;
    basis = make_basis(geometry, sets, "test");
  }
  Geometry geometry = parsed("O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59");
  std::vector<BasisSet> sets;
  GaussianBasis basis;
};

TEST(SeveralSets, KeepTheirKindsOfFunctions) {
  EXPECT_EQ(function_types(ThreeSets("cc-pVDZ", "6-31G", "STO-3G").basis, FunctionType::spherical),
            "spherical");
  EXPECT_EQ(function_types(ThreeSets("6-31G(d)", "6-31G", "STO-3G").basis, FunctionType::cartesian_d),
            "cartesian");
  EXPECT_EQ(function_types(ThreeSets("6-31G(d)", "cc-pVTZ", "STO-3G").basis, FunctionType::cartesian_d),
            "mixed");
  EXPECT_EQ(function_types(ThreeSets("STO-3G", "6-31G", "STO-3G").basis, FunctionType::spherical),
            "spherical");
  EXPECT_EQ(function_types(ThreeSets("STO-3G", "6-31G", "STO-3G").basis, FunctionType::cartesian_d),
            "cartesian");
}

TEST(SeveralSets, MixedKindsAreNoMoldenOrTrexioFile) {
  const ThreeSets mixed("6-31G(d)", "cc-pVTZ", "STO-3G"), plain("6-31G(d)", "6-31G", "STO-3G");
  EXPECT_THAT(molden_obstacle(mixed.basis, mixed.geometry),
              HasSubstr("shells D are Cartesian on some atoms"));
  EXPECT_THAT(trexio_obstacle(mixed.basis), HasSubstr("some shells are Cartesian"));
  EXPECT_EQ(molden_obstacle(plain.basis, plain.geometry), "");
  EXPECT_EQ(trexio_obstacle(plain.basis), "");
}

TEST(SeveralSets, AreReadBackFromTheirText) {
  ThreeSets given("6-31G(d)", "cc-pVTZ", "STO-3G");
  std::vector<Gaussian94Head> heads;
  for (const BasisSet& set : given.sets) heads.push_back({set.name, {}, set.functions});
  const std::string text = gaussian94_text(given.basis, given.geometry, heads);
  Geometry geometry = parsed("O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59");
  const std::vector<BasisSet> sets = read_gaussian94_sets(text, "text", geometry);
  ASSERT_EQ(sets.size(), 3U);
  const GaussianBasis made = make_basis(geometry, sets, "test");
  ASSERT_EQ(made.shells.size(), given.basis.shells.size());
  for (std::size_t k = 0; k < made.shells.size(); ++k) {
    const GaussianShell &a = made.shells[k], &b = given.basis.shells[k];
    EXPECT_EQ(a.atom, b.atom);
    EXPECT_EQ(a.spherical, b.spherical);
    EXPECT_EQ(a.exponents, b.exponents) << "to the last bit";
    EXPECT_EQ(a.coefficients, b.coefficients);
  }
  EXPECT_THROW(read_gaussian94_sets("! name: a\n! atoms: 4\nH 0\nS 1 1.0\n1.0 1.0\n****\n", "text", geometry),
               InputError);
}

}  // namespace test_ghosts
}  // namespace cisolve
