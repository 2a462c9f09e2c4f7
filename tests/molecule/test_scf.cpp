// SPDX-License-Identifier: MIT
#include "cisolve/molecule/scf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_scf {

using test::TestMolecule;
using testing::HasSubstr;

// PySCF converts angstrom by CODATA 2010: up to 3e-11 of the repulsion of the nuclei.
constexpr double energy_tolerance = 1e-8;
constexpr double spin_tolerance = 1e-6;

struct ScfCase {
  const char* name;
  const char* geometry;
  const char* basis;
  int charge, multiplicity;
  bool unrestricted;
  double energy;  ///< PySCF 2.14, with the basis of basis_set_exchange
  double s_squared;
  const char* group;
};

std::ostream& operator<<(std::ostream& out, const ScfCase& c) { return out << c.name; }

class ScfEnergies : public testing::TestWithParam<ScfCase> {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_P(ScfEnergies, AgreeWithPyscf) {
  const ScfCase& c = GetParam();
  const TestMolecule molecule(c.geometry, c.basis);
  EXPECT_EQ(molecule.frame.group.name(), c.group);
  ScfConfig config = molecule.electrons(c.charge, c.multiplicity);
  config.unrestricted = c.unrestricted;
  const ScfResult result = run_scf(molecule.view(), config);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.energy, c.energy, energy_tolerance);
  EXPECT_NEAR(result.s_squared, c.s_squared, spin_tolerance);
}

constexpr const char* benzene =
    "C 0 1.39 0; C 1.20377 0.695 0; C 1.20377 -0.695 0; C 0 -1.39 0; C -1.20377 -0.695 0; C -1.20377 0.695 0;"
    "H 0 2.47 0; H 2.13908 1.235 0; H 2.13908 -1.235 0; H 0 -2.47 0; H -2.13908 -1.235 0; H -2.13908 1.235 0";
constexpr const char* other_water = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692";
constexpr const char* hydroxyl = "O 0 0 -0.48485; H 0 0 0.48485";
constexpr const char* oxygen = "O 0 0 -0.60375; O 0 0 0.60375";
constexpr const char* methylene = "C 0 0 0; H 0 0.9915684 0.4216366; H 0 -0.9915684 0.4216366";
constexpr const char* tetrahedron =
    "H 0.629 0.629 0.629; H -0.629 -0.629 0.629; H -0.629 0.629 -0.629; H 0.629 -0.629 -0.629";
constexpr const char* ammonium =
    "N 0 0 0; H 0.591 0.591 0.591; H -0.591 -0.591 0.591; H -0.591 0.591 -0.591; H 0.591 -0.591 -0.591";
constexpr const char* ethylene =
    "C 0 0 0.667; C 0 0 -0.667; H 0 0.923 1.238; H 0 -0.923 1.238; H 0 0.923 -1.238; H 0 -0.923 -1.238";
constexpr const char* allene =
    "C 0 0 0; C 0 0 1.308; C 0 0 -1.308; H 0 0.93 1.87; H 0 -0.93 1.87; H 0.93 0 -1.87; H -0.93 0 -1.87";
const std::string methane = std::string("C 0 0 0; ") + tetrahedron;

INSTANTIATE_TEST_SUITE_P(
    Molecules, ScfEnergies,
    testing::Values(
        ScfCase{"water_tz", test::water, "cc-pvtz", 0, 1, false, -76.0571256424, 0, "C2v"},
        ScfCase{"water_aug", test::water, "aug-cc-pvdz", 0, 1, false, -76.0413920231, 0, "C2v"},
        ScfCase{"water_6311", test::water, "6-311G**", 0, 1, false, -76.0464070154, 0, "C2v"},
        ScfCase{"water_def2", test::water, "def2-TZVP", 0, 1, false, -76.0590031042, 0, "C2v"},
        ScfCase{"water_plus", test::water, "6-31+G*", 0, 1, false, -76.0174402405, 0, "C2v"},
        ScfCase{"water_ano", other_water, "ANO-RCC-VDZP", 0, 1, false, -76.0490613390, 0, "C2v"},
        ScfCase{"neon_qz", "Ne 0 0 0", "cc-pVQZ", 0, 1, false, -128.5434696591, 0, "D2h"},
        ScfCase{"neon_5z", "Ne 0 0 0", "cc-pV5Z", 0, 1, false, -128.5467701295, 0, "D2h"},
        ScfCase{"krypton_tz", "Kr 0 0 0", "cc-pVTZ", 0, 1, false, -2752.0521206090, 0, "D2h"},
        ScfCase{"hydrogen_bromide", "H 0 0 0; Br 0 0 1.414", "def2-SVP", 0, 1, false, -2572.6849943045, 0,
                "C2v"},
        ScfCase{"zinc_hydride", "Zn 0 0 0; H 0 0 1.51", "def2-TZVP", 1, 1, false, -1778.0686585413, 0, "C2v"},
        ScfCase{"nitrogen_atom", "N 0 0 0", "cc-pvdz", 0, 4, false, -54.3884142370, 3.75, "D2h"},
        ScfCase{"nitrogen_atom_uhf", "N 0 0 0", "cc-pvdz", 0, 4, true, -54.3911145622, 3.75403064, "D2h"},
        ScfCase{"beryllium_atom", "Be 0 0 0", "6-31g", 0, 1, false, -14.5667640522, 0, "D2h"},
        ScfCase{"hydroxyl", hydroxyl, "6-31g", 0, 2, false, -75.3618483770, 0.75, "C2v"},
        ScfCase{"hydroxyl_uhf", hydroxyl, "6-31g", 0, 2, true, -75.3631699162, 0.75376809, "C2v"},
        ScfCase{"hydroxide", hydroxyl, "6-31+g(d)", -1, 1, false, -75.3761364001, 0, "C2v"},
        ScfCase{"beryllium_hydride_uhf", "Be 0 0 -0.6713; H 0 0 0.6713", "6-31g", 0, 2, true, -15.1429822125,
                0.75176298, "C2v"},
        ScfCase{"methylene", methylene, "6-31g", 0, 3, false, -38.9068642224, 2, "C2v"},
        ScfCase{"oxygen", oxygen, "def2-svp", 0, 3, false, -149.4704412246, 2, "D2h"},
        ScfCase{"oxygen_uhf", oxygen, "def2-svp", 0, 3, true, -149.4904009308, 2.03384257, "D2h"},
        ScfCase{"hydrogen_chloride", "H 0.6 0.1 0.2; Cl -0.5 -0.3 0.9", "3-21g", 0, 1, false, -457.8671045946,
                0, "C2v"},
        ScfCase{"hydrogen_cyanide", "H 0 0 -1.064; C 0 0 0; N 0 0 1.156", "6-31g(d,p)", 0, 1, false,
                -92.8756663848, 0, "C2v"},
        ScfCase{"methane", methane.c_str(), "6-31g(d)", 0, 1, false, -40.1950791407, 0, "D2"},
        ScfCase{"ammonium", ammonium, "sto-3g", 1, 1, false, -55.8672612520, 0, "D2"},
        ScfCase{"ethylene", ethylene, "cc-pvdz", 0, 1, false, -78.0399294378, 0, "D2h"},
        ScfCase{"hydrogen_peroxide", "O 0 0.7 0; O 0 -0.7 0; H 0.8 0.9 0.5; H -0.8 -0.9 0.5", "6-31g", 0, 1,
                false, -150.7063983824, 0, "C2"},
        ScfCase{"diimide", "N 0.6 0.1 0; N -0.6 -0.1 0; H 1.0 -0.8 0; H -1.0 0.8 0", "sto-3g", 0, 1, false,
                -108.5392278157, 0, "C2h"},
        ScfCase{"allene", allene, "sto-3g", 0, 1, false, -114.4202680215, 0, "C2v"}),
    [](const auto& scf_case) { return std::string(scf_case.param.name); });

class LargeScf : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_F(LargeScf, BenzeneAgreesWithPyscf) {
  const TestMolecule molecule(benzene, "6-31g(d)");
  EXPECT_EQ(molecule.frame.group.name(), "D2h");
  const ScfResult result = run_scf(molecule.view(), molecule.electrons(0, 1));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.energy, -230.7029599469, energy_tolerance);
}

class Scf : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         std::equal(a.data(), a.data() + static_cast<std::size_t>(a.rows() * a.columns()), b.data());
}

TEST_F(Scf, DoesNotDependOnTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  std::vector<ScfResult> results;
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    const TestMolecule molecule(hydroxyl, "cc-pvdz");
    results.push_back(run_scf(molecule.view(), molecule.electrons(0, 2)));
  }
  omp_set_num_threads(before);
  EXPECT_EQ(results[0].energy, results[1].energy);
  EXPECT_TRUE(same_bits(results[0].orbitals.coefficients, results[1].orbitals.coefficients));
}

TEST_F(Scf, SymmetryAndStorageDoNotChangeTheEnergy) {
  RepulsionConfig direct;
  direct.max_bytes = 0;
  const TestMolecule stored(methylene, "6-31g(d,p)"), without(methylene, "6-31g(d,p)", "C1"),
      recomputed(methylene, "6-31g(d,p)", "auto", direct);
  EXPECT_TRUE(stored.repulsion->is_stored());
  EXPECT_FALSE(recomputed.repulsion->is_stored());
  const double energy = run_scf(stored.view(), stored.electrons(0, 3)).energy;
  constexpr double rounding = 1e-10;  // the SCF's convergence
  EXPECT_NEAR(run_scf(without.view(), without.electrons(0, 3)).energy, energy, rounding);
  EXPECT_NEAR(run_scf(recomputed.view(), recomputed.electrons(0, 3)).energy, energy, rounding);
}

TEST_F(Scf, BeginsWithTheOrbitalsOfAnotherGeometry) {
  const TestMolecule near(hydroxyl, "6-31g"), far("O 0 0 0; H 0 0 1.05", "6-31g"), other(hydroxyl, "sto-3g");
  const ScfResult before = run_scf(near.view(), near.electrons(0, 2));
  const ScfResult alone = run_scf(far.view(), far.electrons(0, 2));
  ScfConfig config = far.electrons(0, 2);
  config.guess = std::make_shared<const ScfOrbitals>(before.orbitals);
  const ScfResult carried = run_scf(far.view(), config);
  EXPECT_TRUE(carried.from_guess);
  EXPECT_FALSE(alone.from_guess);
  EXPECT_NEAR(carried.energy, alone.energy, 1e-9);  // ten times the convergence
  EXPECT_LE(carried.num_iterations, alone.num_iterations);
  // At its own geometry it is converged at once: the change of the energy takes a second iteration.
  config = near.electrons(0, 2);
  config.guess = std::make_shared<const ScfOrbitals>(before.orbitals);
  EXPECT_EQ(run_scf(near.view(), config).num_iterations, 2);
  // Orbitals of another basis, or of another occupation than the one given, are of no use.
  ScfConfig wrong = other.electrons(0, 2);
  wrong.guess = config.guess;
  EXPECT_FALSE(run_scf(other.view(), wrong).from_guess);
  ScfConfig charged = near.electrons(-1, 1);
  charged.guess = config.guess;
  EXPECT_FALSE(run_scf(near.view(), charged).from_guess);
}

TEST_F(Scf, OrbitalsAreSortedAndOfPureIrrep) {
  const TestMolecule molecule(hydroxyl, "6-31g");
  ScfConfig config = molecule.electrons(0, 2);
  config.doubly_occupied = {3, 0, 1, 0};
  config.singly_occupied = {0, 1};
  const ScfResult result = run_scf(molecule.view(), config);
  const ScfOrbitals& orbitals = result.orbitals;
  EXPECT_THAT(std::vector<int>(orbitals.occupations.begin(), orbitals.occupations.begin() + 6),
              testing::ElementsAre(2, 2, 2, 2, 1, 0));
  EXPECT_EQ(orbitals.irreps[4], 1);  // B1
  for (std::size_t k = 1; k < orbitals.energies.size(); ++k) {
    if (orbitals.occupations[k] != orbitals.occupations[k - 1]) continue;
    EXPECT_LE(orbitals.energies[k - 1], orbitals.energies[k] + 1e-8);
  }
  // Coefficients on functions of another parity vanish exactly.
  const auto parities = function_parities(molecule.basis);
  for (std::size_t k = 0; k < orbitals.irreps.size(); ++k) {
    for (std::size_t f = 0; f < parities.size(); ++f) {
      if (irrep_of_parity(molecule.frame, parities[f]) == orbitals.irreps[k]) continue;
      EXPECT_EQ(orbitals.coefficients(static_cast<int>(f), static_cast<int>(k)), 0.0);
    }
  }
}

TEST_F(Scf, WarnsOfAnAmbiguousOccupation) {
  const TestMolecule molecule(hydroxyl, "6-31g");
  const ScfResult result = run_scf(molecule.view(), molecule.electrons(0, 2));
  EXPECT_THAT(result.warnings,
              testing::Contains(
                  AllOf(HasSubstr("B1 and B2"), HasSubstr("doubly and singly occupied orbitals choose"))));
}

TEST_F(Scf, WarnsOfAnInstability) {
  const TestMolecule stretched("H 0 0 -1.25; H 0 0 1.25", "6-31g"), near("H 0 0 -0.37; H 0 0 0.37", "6-31g");
  const ScfResult unstable = run_scf(stretched.view(), stretched.electrons(0, 1));
  // PySCF: rhf_external. The residual norm is below 3e-3, so the value errs by its square over a gap of 1.
  EXPECT_NEAR(unstable.lowest_eigenvalue, -0.3230074, 1e-4);
  EXPECT_THAT(unstable.warnings, testing::Contains(HasSubstr("UHF")));
  const ScfResult stable = run_scf(near.view(), near.electrons(0, 1));
  EXPECT_GT(stable.lowest_eigenvalue, 0.01);
  EXPECT_THAT(stable.warnings, testing::IsEmpty());
}

TEST_F(Scf, WarnsWhenTheGivenOccupationIsNoMinimum) {
  const TestMolecule molecule(test::water, "sto-3g");
  ScfConfig config = molecule.electrons(0, 1);
  config.doubly_occupied = {4, 0, 1};  // the lone pair B1 left empty
  const ScfResult result = run_scf(molecule.view(), config);
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.lowest_eigenvalue, -0.05);
  EXPECT_EQ(result.doubly_occupied, (std::vector<int>{4, 0, 1, 0}));
}

// PySCF's exponents of STO-3G have other digits.
constexpr double sto3g_tolerance = 1e-7;  // hartree

// PySCF 2.14: RHF with irrep_nelec of each occupation, conv_tol 1e-12.
constexpr double c2_pi4 = -74.3818404813, c2_pi2 = -74.4319655764;  // hartree

TEST_F(Scf, GoesDownToALowerOccupation) {
  const TestMolecule molecule("C 0 0 -0.7; C 0 0 0.7", "sto-3g");
  ScfConfig config = molecule.electrons(0, 1);
  const ScfResult lowest = run_scf(molecule.view(), config);
  EXPECT_NEAR(lowest.energy, c2_pi2, sto3g_tolerance);
  // Of both components the one whose irrep, B3u, stands first.
  EXPECT_EQ(lowest.doubly_occupied, (std::vector<int>{3, 1, 0, 0, 2, 0, 0, 0}));
  ASSERT_EQ(lowest.descents.size(), 1U);
  EXPECT_NEAR(lowest.descents[0].from, c2_pi4, sto3g_tolerance);
  EXPECT_FALSE(lowest.descents[0].by_rotation);
  config.doubly_occupied = {2, 1, 1, 0, 2};
  EXPECT_NEAR(run_scf(molecule.view(), config).energy, c2_pi4, sto3g_tolerance);
}

TEST_F(Scf, TakesTheLowerOfTwoStarts) {
  const TestMolecule molecule("C 0 0 -0.7; C 0 0 0.7", "sto-3g");
  ScfConfig config = molecule.electrons(0, 1);
  config.doubly_occupied = {2, 1, 1, 0, 2};
  const auto higher = std::make_shared<const ScfOrbitals>(run_scf(molecule.view(), config).orbitals);
  config.doubly_occupied = std::nullopt;
  config.guess = higher;
  const ScfResult lowest = run_scf(molecule.view(), config);
  EXPECT_NEAR(lowest.energy, c2_pi2, sto3g_tolerance);
  EXPECT_NEAR(lowest.carried_energy.value(), c2_pi4, sto3g_tolerance);
  EXPECT_NEAR(lowest.fresh_energy.value(), c2_pi2, sto3g_tolerance);
  config.keep_carried = true;
  const ScfResult kept = run_scf(molecule.view(), config);
  EXPECT_NEAR(kept.energy, c2_pi4, sto3g_tolerance);
  EXPECT_TRUE(kept.from_guess);
  EXPECT_NEAR(kept.fresh_energy.value(), c2_pi2, sto3g_tolerance);
}

TEST_F(Scf, ConvergesWhereExtrapolationDoesNot) {
  // DIIS alone goes on for ever. PySCF 2.14: RHF without symmetry, level_shift 0.6.
  const TestMolecule molecule("H 0 0 0; F 0 0 4", "sto-3g");
  const ScfResult result = run_scf(molecule.view(), molecule.electrons(0, 1));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.energy, -98.0792345689, 1e-7);
}

TEST_F(Scf, FollowsAnInstabilityThatKeepsTheSymmetry) {
  // ROHF of stretched NO: three states of one occupation; PySCF's newton() and stability() end in the lowest.
  const TestMolecule molecule("N 0 0 0; O 0 0 1.5", "sto-3g");
  const ScfResult result = run_scf(molecule.view(), molecule.electrons(0, 2));
  EXPECT_NEAR(result.energy, -127.4241924516, sto3g_tolerance);
  ASSERT_FALSE(result.descents.empty());
  EXPECT_TRUE(result.descents[0].by_rotation);
}

TEST_F(Scf, LevelShiftLeavesTheConvergedState) {
  const TestMolecule molecule(oxygen, "sto-3g");
  ScfConfig config = molecule.electrons(0, 3);
  const double energy = run_scf(molecule.view(), config).energy;
  config.level_shift = 0.5;
  EXPECT_NEAR(run_scf(molecule.view(), config).energy, energy, 1e-10);
}

TEST_F(Scf, SaysWhenItDoesNotConverge) {
  const TestMolecule molecule(test::water, "6-31g");
  ScfConfig config = molecule.electrons(0, 1);
  config.max_iterations = 3;
  EXPECT_FALSE(run_scf(molecule.view(), config).converged);
}

TEST_F(Scf, RefusesAnOccupationThatDoesNotFit) {
  const TestMolecule molecule(test::water, "sto-3g");
  const auto refusal = [&](const std::vector<int>& doubly) {
    ScfConfig config = molecule.electrons(0, 1);
    config.doubly_occupied = doubly;
    try {
      run_scf(molecule.view(), config);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refusal({3, 1}), HasSubstr("doubly occupied orbitals: 4 orbitals"));
  EXPECT_THAT(refusal({3, 1, 1, 0, 0}), HasSubstr("C2v has 4 irreps"));
  EXPECT_THAT(refusal({3, 0, 1, 1}), HasSubstr("A2, but the basis has 0"));
}

}  // namespace test_scf
}  // namespace cisolve
