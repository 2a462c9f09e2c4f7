// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_uhf {

using test::TestMolecule;
using testing::HasSubstr;

constexpr double energy_tolerance =
    2e-7;  // hartree: exponents and coefficients of PySCF's sets have other digits
constexpr double spin_tolerance = 2e-6;  // errs by the first power of the orbital gradient

constexpr const char* hydrogen = "H 0 0 0; H 0 0 2.0";
constexpr const char* hydroxyl = "O 0 0 0; H 0 0 0.97";
constexpr const char* nitric_oxide = "N 0 0 0; O 0 0 1.15";
constexpr const char* oxygen = "O 0 0 -0.60375; O 0 0 0.60375";
constexpr const char* rectangle = "H 0 0 0; H 0 0 1.6; H 0 1.7 0; H 0 1.7 1.6";
constexpr const char* methylene = "C 0 0 0; H 0 0.9915684 0.4216366; H 0 -0.9915684 0.4216366";

class Uhf : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  static ScfResult run(const TestMolecule& molecule, int multiplicity, ScfConfig config = {}) {
    const ScfConfig electrons = molecule.electrons(0, multiplicity);
    config.num_alpha = electrons.num_alpha;
    config.num_beta = electrons.num_beta;
    config.unrestricted = true;
    return run_scf(molecule.view(), config);
  }
};

// What PySCF 2.14 finds: UHF from densities with alternating spins where these break the symmetry, then stability()
// until it is stable; NO with irrep_nelec = {A1: (5, 5), B1: (2, 1), B2: (1, 1)} by newton().
TEST_F(Uhf, FollowsAClosedShellToBrokenSpinSymmetry) {
  const TestMolecule molecule(hydrogen, "6-31g", "C2v");
  const ScfResult result = run(molecule, 1);
  ASSERT_TRUE(result.converged);
  EXPECT_NEAR(result.energy, -1.0009352401842089, energy_tolerance);
  EXPECT_NEAR(result.s_squared, 0.9061375681907392, spin_tolerance);
  EXPECT_NEAR(result.restricted_energy.value(), -0.916271247695245, energy_tolerance);
  ASSERT_EQ(result.descents.size(), 1U);
  EXPECT_TRUE(result.descents[0].by_rotation);
  EXPECT_NEAR(result.descents[0].from, *result.restricted_energy, 1e-9);
  EXPECT_GT(result.lowest_eigenvalue, 0.0);
  EXPECT_THAT(result.warnings, testing::IsEmpty());
  // Without a look at the stability it stays a closed shell.
  ScfConfig config;
  config.check_stability = false;
  const ScfResult closed = run(molecule, 1, config);
  EXPECT_NEAR(closed.energy, *result.restricted_energy, 1e-9);
  EXPECT_NEAR(closed.s_squared, 0.0, spin_tolerance);
}

TEST_F(Uhf, KeepsThePointGroupAndSaysWhatIsBelow) {
  const TestMolecule molecule(hydrogen, "6-31g");
  const ScfResult result = run(molecule, 1);
  EXPECT_EQ(molecule.frame.group.name(), "D2h");
  EXPECT_NEAR(result.energy, result.restricted_energy.value(), 1e-9);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0], AllOf(HasSubstr("the UHF state is not a minimum"),
                                        HasSubstr("rotations of B1u"), HasSubstr("point group = \"C2v\"")));
  // A closed shell has the same eigenvalue of either Hessian; the residual norm is below 3e-3.
  const ScfResult restricted = run_scf(molecule.view(), molecule.electrons(0, 1));
  EXPECT_NEAR(result.lowest_eigenvalue, restricted.lowest_eigenvalue, 1e-4);
}

TEST_F(Uhf, BreaksSpatialSymmetryWithoutPointGroup) {
  const TestMolecule molecule(rectangle, "6-31g", "C1");
  const ScfResult result = run(molecule, 1);
  // PySCF from spins that alternate around the rectangle; other arrangements are stable, too, and higher.
  EXPECT_NEAR(result.energy, -2.024873096700545, energy_tolerance);
  EXPECT_NEAR(result.s_squared, 1.417007760055703, spin_tolerance);
}

TEST_F(Uhf, AgreesWithPyscfForRadicals) {
  const ScfResult oh = run(TestMolecule(hydroxyl, "sto-3g"), 2);
  EXPECT_NEAR(oh.energy, -74.36266919476726, energy_tolerance);
  EXPECT_NEAR(oh.s_squared, 0.7532619427147198, spin_tolerance);
  const ScfResult ch2 = run(TestMolecule(methylene, "6-31g"), 3);
  EXPECT_NEAR(ch2.energy, -38.91156039321151, energy_tolerance);
  EXPECT_NEAR(ch2.s_squared, 2.017341686672701, spin_tolerance);
  const ScfResult no = run(TestMolecule(nitric_oxide, "6-31g"), 2);
  EXPECT_NEAR(no.energy, -129.17404375409478, energy_tolerance);
  EXPECT_NEAR(no.s_squared, 0.8645754360082165, spin_tolerance);
  const ScfResult cn = run(TestMolecule("C 0 0 0; N 0 0 1.17", "6-31g"), 2);
  EXPECT_NEAR(cn.energy, -92.16249609066327, energy_tolerance);
  EXPECT_NEAR(cn.s_squared, 1.254771783784296, spin_tolerance);
  const ScfResult atom = run(TestMolecule("H 0 0 0", "6-31g"), 2);
  EXPECT_NEAR(atom.energy, -0.49823291072907006, energy_tolerance);
  EXPECT_NEAR(atom.s_squared, 0.75, spin_tolerance);
}

TEST_F(Uhf, TakesAnOccupationOfBothSpins) {
  const TestMolecule molecule(nitric_oxide, "sto-3g");
  ScfConfig config;
  config.doubly_occupied = {5, 1, 1};
  config.singly_occupied = {0, 1};
  const ScfResult result = run(molecule, 2, config);
  ASSERT_TRUE(result.converged);
  EXPECT_NEAR(result.energy, -127.53013437328535, energy_tolerance);
  EXPECT_NEAR(result.s_squared, 0.9611722621015613, spin_tolerance);
  EXPECT_EQ(result.doubly_occupied, (std::vector<int>{5, 1, 1, 0}));
  EXPECT_EQ(result.singly_occupied, (std::vector<int>{0, 1, 0, 0}));
}

TEST_F(Uhf, FindsWhatNoRotationOfOneOccupationReaches) {
  // Singlet O2: one electron in each pi* orbital, of opposite spins; PySCF with irrep_nelec.
  const ScfResult result = run(TestMolecule(oxygen, "6-31g"), 1);
  EXPECT_NEAR(result.energy, -149.51352695856943, energy_tolerance);
  EXPECT_NEAR(result.s_squared, 1.015607315074126, spin_tolerance);
  ASSERT_FALSE(result.descents.empty());
  EXPECT_FALSE(result.descents[0].by_rotation);
  // B2g and B3g: beta has one that alpha lacks. Which of both is no choice but of names.
  for (const std::string& warning : result.warnings) EXPECT_THAT(warning, Not(HasSubstr("ambiguous")));
  EXPECT_THAT(result.singly_occupied, testing::UnorderedElementsAre(1, -1, 0, 0, 0, 0, 0, 0));
}

/// Orbitals as sets of irreps: those of the first `count` places.
std::vector<int> first_irreps(const ScfOrbitals& orbitals, int count) {
  std::vector<int> irreps(orbitals.irreps.begin(), orbitals.irreps.begin() + count);
  std::sort(irreps.begin(), irreps.end());
  return irreps;
}

TEST_F(Uhf, OrdersBothSpinsAlike) {
  for (const char* geometry : {hydroxyl, nitric_oxide}) {
    const TestMolecule molecule(geometry, "6-31g");
    const ScfResult result = run(molecule, 2);
    const ScfOrbitals &alpha = result.orbitals, &beta = result.beta_orbitals;
    EXPECT_EQ(alpha.irreps, beta.irreps);
    const ScfConfig electrons = molecule.electrons(0, 2);
    for (int p = 0; p < std::ssize(alpha.irreps); ++p) {
      EXPECT_EQ(alpha.occupations[p], p < electrons.num_alpha ? 1 : 0) << p;
      EXPECT_EQ(beta.occupations[p], p < electrons.num_beta ? 1 : 0) << p;
    }
    // Per irrep both ascend within the occupied and within the empty ones: the k-th meets the k-th.
    for (const ScfOrbitals* set : {&alpha, &beta}) {
      for (std::size_t p = 0; p < set->irreps.size(); ++p) {
        for (std::size_t q = 0; q < p; ++q) {
          if (set->irreps[q] == set->irreps[p] && set->occupations[q] == set->occupations[p]) {
            EXPECT_LE(set->energies[q], set->energies[p]);
          }
        }
      }
    }
  }
}

TEST_F(Uhf, PutsTheOrbitalsOfBetaAloneBehindThoseOfAlpha) {
  const TestMolecule molecule(oxygen, "sto-3g");
  const ScfResult result = run(molecule, 1);
  const ScfOrbitals &alpha = result.orbitals, &beta = result.beta_orbitals;
  EXPECT_EQ(alpha.irreps, beta.irreps);
  EXPECT_EQ(alpha.occupations, (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(beta.occupations, (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 0, 1, 0}));
  EXPECT_NE(first_irreps(alpha, 8), first_irreps(beta, 9));
}

TEST_F(Uhf, StabilityCanBreakTheSymmetryOfAnOpenShell) {
  // A state of a given occupation that is not the lowest: the warning says so.
  const TestMolecule molecule(nitric_oxide, "sto-3g");
  ScfConfig config;
  config.doubly_occupied = {4, 2, 1};
  config.singly_occupied = {1};
  const ScfResult result = run(molecule, 2, config);
  EXPECT_LT(result.lowest_eigenvalue, -1e-4);
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("other occupations of the irreps")));
}

/// Over all orbitals, by the definition: sums over functions, one index after the other.
class BruteForce {
public:
  BruteForce(const TestMolecule& molecule, const ScfResult& scf) : n_(scf.orbitals.coefficients.columns()) {
    const MolecularBasis view = molecule.view();
    functions_ = view.basis.num_functions;
    const FunctionIntegrals core(view);
    std::vector<double> two(std::size_t(functions_) * functions_ * functions_ * functions_);
    view.repulsion.for_each_row([&](std::size_t pair, std::span<const double> row) {
      for (int i = 0; i < functions_; ++i) {
        for (int j = 0; j <= i; ++j) {
          if (pair_index(i, j) != pair) continue;
          for (int k = 0; k < functions_; ++k) {
            for (int l = 0; l < functions_; ++l) {
              const double value = row[pair_index(k, l)];
              two[at(i, j, k, l)] = value;
              two[at(j, i, k, l)] = value;
            }
          }
        }
      }
    });
    integrals = Integrals(n_);
    integrals.irreps = scf.orbitals.irreps;
    integrals.core_energy = core.nuclear_energy;
    integrals.beta = make_beta_integrals(n_);
    const Matrix& a = scf.orbitals.coefficients;
    const Matrix& b = scf.beta_orbitals.coefficients;
    const auto aa = transformed(two, a, a), bb = transformed(two, b, b), ab = transformed(two, a, b);
    for (int p = 0; p < n_; ++p) {
      for (int q = 0; q <= p; ++q) {
        double ha = 0.0, hb = 0.0;
        for (int i = 0; i < functions_; ++i) {
          for (int j = 0; j < functions_; ++j) {
            ha += a(i, p) * core.core_hamiltonian(i, j) * a(j, q);
            hb += b(i, p) * core.core_hamiltonian(i, j) * b(j, q);
          }
        }
        integrals.h(p, q) = ha;
        integrals.beta->one[pair_index(p, q)] = hb;
        for (int r = 0; r < n_; ++r) {
          for (int s = 0; s <= r; ++s) {
            integrals.eri(p, q, r, s) = aa[pqrs(p, q, r, s)];
            integrals.beta->two[Integrals::eri_index(p, q, r, s)] = bb[pqrs(p, q, r, s)];
            integrals.beta->mixed[pair_index(p, q) * integrals.one.size() + pair_index(r, s)] =
                ab[pqrs(p, q, r, s)];
          }
        }
      }
    }
  }

  Integrals integrals;

private:
  std::size_t at(int i, int j, int k, int l) const {
    return ((std::size_t(i) * functions_ + j) * functions_ + k) * functions_ + l;
  }
  std::size_t pqrs(int p, int q, int r, int s) const { return ((std::size_t(p) * n_ + q) * n_ + r) * n_ + s; }

  /// (pq|rs) with p and q of one set, r and s of another.
  std::vector<double> transformed(const std::vector<double>& two, const Matrix& left,
                                  const Matrix& right) const {
    std::vector<double> now = two;
    std::size_t before = 1, behind = std::size_t(functions_) * functions_ * functions_;
    for (const Matrix* c : {&left, &left, &right, &right}) {
      std::vector<double> next(before * n_ * behind, 0.0);
      for (std::size_t x = 0; x < before; ++x) {
        for (int p = 0; p < n_; ++p) {
          for (int i = 0; i < functions_; ++i) {
            const double factor = (*c)(i, p);
            for (std::size_t y = 0; y < behind; ++y)
              next[(x * n_ + p) * behind + y] += factor * now[(x * functions_ + i) * behind + y];
          }
        }
      }
      now = std::move(next);
      before *= n_;
      behind /= functions_;
    }
    return now;
  }

  int n_, functions_ = 0;
};

// Elements are sums of 12^4 terms below 5 hartree: rounding stays below this. Integrals that Schwarz' inequality bounds
// by 1e-12 are left out of both.
constexpr double rounding = 1e-11;

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], rounding) << k;
}

void expect_near(const Matrix& found, const Matrix& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  for (int q = 0; q < found.columns(); ++q) {
    for (int p = 0; p < found.rows(); ++p) ASSERT_NEAR(found(p, q), expected(p, q), rounding);
  }
}

class UhfTransformation : public Uhf {
protected:
  static ActiveIntegrals transform(const TestMolecule& molecule, const ScfResult& scf,
                                   const std::vector<int>& core, const std::vector<int>& virtuals,
                                   const TransformationConfig& config = {}) {
    return transform_integrals(molecule.view(), {scf.orbitals, scf.beta_orbitals}, core, virtuals, config);
  }
};

TEST_F(UhfTransformation, AgreesWithTheDefinitionAndWithFreezing) {
  const TestMolecule molecule(nitric_oxide, "sto-3g");
  const ScfResult scf = run(molecule, 2);
  const Integrals all = BruteForce(molecule, scf).integrals;
  for (const std::vector<int>& core : {std::vector<int>{}, std::vector<int>{0, 1}}) {
    for (const std::vector<int>& virtuals : {std::vector<int>{}, std::vector<int>{8}}) {
      const ActiveIntegrals expected = freeze(all, core, virtuals);
      const ActiveIntegrals found = transform(molecule, scf, core, virtuals);
      check_shapes(found.integrals);
      EXPECT_EQ(found.active_orbitals, expected.active_orbitals);
      EXPECT_EQ(found.integrals.irreps, expected.integrals.irreps);
      EXPECT_NEAR(found.integrals.core_energy, expected.integrals.core_energy, rounding);
      expect_near(found.integrals.one, expected.integrals.one);
      expect_near(found.integrals.two, expected.integrals.two);
      expect_near(found.integrals.beta->one, expected.integrals.beta->one);
      expect_near(found.integrals.beta->two, expected.integrals.beta->two);
      expect_near(found.integrals.beta->mixed, expected.integrals.beta->mixed);
    }
  }
}

TEST_F(UhfTransformation, GivesTheOverlapOfTheSpins) {
  const TestMolecule molecule(nitric_oxide, "sto-3g");
  const ScfResult scf = run(molecule, 2);
  const ActiveIntegrals all = transform(molecule, scf, {}, {});
  const SpinOverlap& overlap = all.integrals.beta->overlap.value();
  EXPECT_EQ(overlap.source, "basis functions");
  // What the integrals imply, up to a sign.
  const RecoveredOverlap recovered = recover_overlap(all.integrals);
  EXPECT_LT(recovered.violation, 1e-9);
  constexpr double digits = 1e-8;  // eigenvectors of matrices with gaps of 1e-3 and elements good to 1e-11
  const double sign = overlap.active(0, 0) * recovered.overlap(0, 0) > 0.0 ? 1.0 : -1.0;
  for (int q = 0; q < 10; ++q) {
    for (int p = 0; p < 10; ++p) {
      EXPECT_NEAR(overlap.active(p, q), sign * recovered.overlap(p, q), digits);
      if (all.integrals.irreps[p] != all.integrals.irreps[q]) {
        EXPECT_EQ(overlap.active(p, q), 0.0);
      }
    }
  }
  const ActiveIntegrals some = transform(molecule, scf, {0, 1}, {9});
  const SpinOverlap expected = freeze(overlap, {0, 1}, {9}, some.active_orbitals);
  const SpinOverlap& frozen = some.integrals.beta->overlap.value();
  expect_near(frozen.active, expected.active);
  expect_near(frozen.core, expected.core);
  expect_near(frozen.virtuals, expected.virtuals);
  EXPECT_NEAR(frozen.constant, expected.constant, rounding);
}

TEST_F(UhfTransformation, NeitherMemoryNorRepulsionStoredMatters) {
  RepulsionConfig direct;
  direct.max_bytes = 0;
  const TestMolecule molecule(hydroxyl, "6-31g"), recomputed(hydroxyl, "6-31g", "auto", direct);
  const ScfResult scf = run(molecule, 2);
  const Integrals whole = transform(molecule, scf, {0}, {}).integrals;
  TransformationConfig little;
  little.max_bytes = 1;  // an orbital at a time
  for (const Integrals& other :
       {transform(molecule, scf, {0}, {}, little).integrals, transform(recomputed, scf, {0}, {}).integrals}) {
    expect_near(other.one, whole.one);
    expect_near(other.two, whole.two);
    expect_near(other.beta->two, whole.beta->two);
    expect_near(other.beta->mixed, whole.beta->mixed);
  }
}

TEST_F(UhfTransformation, TheFirstDeterminantIsThatOfTheScf) {
  for (const char* geometry : {hydroxyl, nitric_oxide}) {
    const TestMolecule molecule(geometry, "6-31g");
    const ScfResult scf = run(molecule, 2);
    const ScfConfig electrons = molecule.electrons(0, 2);
    for (const int core : {0, 1}) {
      std::vector<int> frozen;
      for (int p = 0; p < core; ++p) frozen.push_back(p);
      const Integrals v = transform(molecule, scf, frozen, {}).integrals;
      const Determinant<1> first{BitString<1>::lowest(electrons.num_alpha - core),
                                 BitString<1>::lowest(electrons.num_beta - core)};
      EXPECT_NEAR(matrix_element(v, first, first), scf.energy, 1e-9);
    }
  }
}

TEST_F(UhfTransformation, OfClosedShellsBothSpinsAreTheRestrictedOnes) {
  const TestMolecule molecule(test::water, "sto-3g");
  const ScfResult scf = run(molecule, 1);
  const ScfResult restricted = run_scf(molecule.view(), molecule.electrons(0, 1));
  const Integrals v = transform(molecule, scf, {0}, {}).integrals;
  const Integrals r = transform_integrals(molecule.view(), restricted.orbitals, {0}, {}, {}).integrals;
  // Orbitals err by the gradient, 1e-8.
  constexpr double converged = 1e-6;
  EXPECT_NEAR(v.core_energy, r.core_energy, converged);
  for (std::size_t k = 0; k < r.two.size(); ++k) {
    EXPECT_NEAR(v.two[k], r.two[k], converged);
    EXPECT_NEAR(v.beta->two[k], r.two[k], converged);
  }
  for (std::size_t k = 0; k < r.one.size(); ++k) {
    EXPECT_NEAR(v.one[k], r.one[k], converged);
    EXPECT_NEAR(v.beta->one[k], r.one[k], converged);
  }
}

TEST_F(UhfTransformation, RefusesSetsThatDiffer) {
  const TestMolecule molecule(hydroxyl, "sto-3g");
  const ScfResult scf = run(molecule, 2);
  ScfOrbitals other = scf.beta_orbitals;
  std::swap(other.irreps.front(), other.irreps.back());
  other.irreps.front() ^= 1;
  EXPECT_THROW(transform_integrals(molecule.view(), {scf.orbitals, other}, {}, {}, {}), DimensionError);
}

}  // namespace test_uhf
}  // namespace cisolve
