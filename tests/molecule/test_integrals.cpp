// SPDX-License-Identifier: MIT
// Two-electron integrals and their transformation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_integrals {

using test::TestMolecule;

class MoleculeIntegrals : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

constexpr const char* formaldehyde = "C 0 0 -0.53; O 0 0 0.67; H 0 0.94 -1.11; H 0 -0.94 -1.11";

/// A symmetric matrix without spatial symmetry.
Matrix random_density(int n) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Matrix d(n, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) d(p, q) = d(q, p) = uniform(generator);
  }
  return d;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0.0;
  for (int q = 0; q < a.columns(); ++q) {
    for (int p = 0; p < a.rows(); ++p) largest = std::max(largest, std::abs(a(p, q) - b(p, q)));
  }
  return largest;
}

// Each of up to n^2 = 2500 integrals of an element may have been left out below 1e-12.
constexpr double screening = 2.5e-9;

TEST_F(MoleculeIntegrals, FourWaysToCoulombAndExchangeAgree) {
  for (const char* basis : {"6-31g(d)", "cc-pvtz"}) {
    RepulsionConfig direct;
    direct.max_bytes = 0;
    const TestMolecule stored(formaldehyde, basis), unsymmetric(formaldehyde, basis, "C1"),
        recomputed(formaldehyde, basis, "auto", direct);
    const int n = stored.basis.num_functions;
    const Matrix d = random_density(n);
    const auto a = stored.repulsion->coulomb_exchange({&d, 1})[0];
    const auto b = unsymmetric.repulsion->coulomb_exchange({&d, 1})[0];
    const auto c = recomputed.repulsion->coulomb_exchange({&d, 1})[0];
    for (const auto* other : {&b, &c}) {
      EXPECT_LT(largest_difference(a.coulomb, other->coulomb), screening);
      EXPECT_LT(largest_difference(a.exchange, other->exchange), screening);
    }
    // From the rows, by the definition.
    for (const TestMolecule* molecule : {&stored, &recomputed}) {
      Matrix coulomb(n, n), exchange(n, n);
      std::vector<std::vector<double>> rows(num_pairs(n));
      molecule->repulsion->for_each_row(
          [&](std::size_t pair, std::span<const double> row) { rows[pair].assign(row.begin(), row.end()); });
      const auto eri = [&](int p, int q, int r, int s) {
        const auto index = [](int x, int y) { return pair_index(x, y); };
        return rows[index(p, q)][index(r, s)];
      };
      for (int p = 0; p < n; p += 5) {
        for (int q = 0; q < n; q += 3) {
          for (int r = 0; r < n; ++r) {
            for (int s = 0; s < n; ++s) {
              coulomb(p, q) += eri(p, q, r, s) * d(r, s);
              exchange(p, q) += eri(p, r, q, s) * d(r, s);
            }
          }
          EXPECT_NEAR(coulomb(p, q), a.coulomb(p, q), screening);
          EXPECT_NEAR(exchange(p, q), a.exchange(p, q), screening);
        }
      }
    }
  }
}

TEST_F(MoleculeIntegrals, ManyDensitiesAtATimeGiveWhatEachGives) {
  const TestMolecule molecule(formaldehyde, "6-31g");
  std::vector<Matrix> densities;
  for (int k = 1; k <= 5; ++k) {
    Matrix d = random_density(molecule.basis.num_functions);
    for (int p = 0; p < d.columns(); ++p) d(p, p) = k * p;
    densities.push_back(d);
  }
  const auto all = molecule.repulsion->coulomb_exchange(densities);
  for (std::size_t k = 0; k < densities.size(); ++k) {
    const auto one = molecule.repulsion->coulomb_exchange({&densities[k], 1})[0];
    // Sums of n^2 = 484 terms of up to 100 hartree.
    EXPECT_LT(largest_difference(all[k].coulomb, one.coulomb), 1e-9);
    EXPECT_LT(largest_difference(all[k].exchange, one.exchange), 1e-9);
  }
}

TEST_F(MoleculeIntegrals, FreezingBeforeOrAfterTheTransformationIsTheSame) {
  const TestMolecule molecule(formaldehyde, "6-31g");
  const ScfResult scf = run_scf(molecule.view(), molecule.electrons(0, 1));
  const int n = scf.orbitals.coefficients.columns();
  TransformationConfig small;
  small.max_bytes = 1;  // as many passes as there are orbitals
  const ActiveIntegrals all = transform_integrals(molecule.view(), scf.orbitals, {}, {}, {});
  const ActiveIntegrals after = freeze(all.integrals, {0, 1}, {n - 1});
  const ActiveIntegrals before = transform_integrals(molecule.view(), scf.orbitals, {0, 1}, {n - 1}, small);
  EXPECT_EQ(after.active_orbitals, before.active_orbitals);
  EXPECT_EQ(after.integrals.irreps, before.integrals.irreps);
  constexpr double rounding = 1e-11;
  EXPECT_NEAR(after.integrals.core_energy, before.integrals.core_energy, 100 * rounding);
  for (std::size_t k = 0; k < after.integrals.one.size(); ++k) {
    EXPECT_NEAR(after.integrals.one[k], before.integrals.one[k], 10 * rounding);
  }
  for (std::size_t k = 0; k < after.integrals.two.size(); ++k) {
    EXPECT_NEAR(after.integrals.two[k], before.integrals.two[k], rounding);
  }
}

/// The energy of the determinant from the transformed integrals is the SCF's.
TEST_F(MoleculeIntegrals, TransformedIntegralsGiveTheScfEnergy) {
  const TestMolecule molecule(formaldehyde, "6-31g(d)");
  const ScfResult scf = run_scf(molecule.view(), molecule.electrons(0, 1));
  const Integrals v = transform_integrals(molecule.view(), scf.orbitals, {}, {}, {}).integrals;
  double energy = v.core_energy;
  for (int i = 0; i < 8; ++i) {
    energy += 2.0 * v.h(i, i);
    for (int j = 0; j < 8; ++j) energy += 2.0 * v.eri(i, i, j, j) - v.eri(i, j, i, j);
  }
  EXPECT_NEAR(energy, scf.energy, 1e-9);
}

TEST_F(MoleculeIntegrals, ChargesAddUpAndThePositionIsSymmetric) {
  const TestMolecule molecule("Li 0 0 0; H 0 0 1.6", "cc-pvdz");
  const ScfResult scf = run_scf(molecule.view(), molecule.electrons(0, 1));
  const Matrix& c = scf.orbitals.coefficients;
  Matrix density(c.rows(), c.rows());
  for (int i = 0; i < 2; ++i) {
    for (int p = 0; p < c.rows(); ++p) {
      for (int q = 0; q < c.rows(); ++q) density(p, q) += 2.0 * c(p, i) * c(q, i);
    }
  }
  const auto charges = mulliken_charges(molecule.basis, molecule.frame.geometry, density);
  EXPECT_NEAR(charges[0] + charges[1], 0.0, 1e-10);
  EXPECT_GT(charges[0], 0.0);  // lithium is the positive one
  EXPECT_EQ(noble_gas_core(molecule.frame.geometry), 1);
}

}  // namespace test_integrals
}  // namespace cisolve
