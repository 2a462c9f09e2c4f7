// SPDX-License-Identifier: MIT
// Energy, gradient and Hessian of an active space by its orbitals, against the energy itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/molecule/orbital_optimisation.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_orbital_optimisation {

using test::TestMolecule;

/// SCF orbitals of water in 6-31G with two inactive and four active ones, and densities that no CI gave: random, with
/// the symmetries of matrices of real states.
class OrbitalOptimisation : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
    molecule = std::make_unique<TestMolecule>(test::water, "6-31g");
    const ScfResult scf = run_scf(molecule->view(), molecule->electrons(0, 1));
    orbitals.coefficients = scf.orbitals.coefficients;
    orbitals.irreps = scf.orbitals.irreps;
    orbitals.classes.assign(orbitals.irreps.size(), OrbitalClass::empty);
    for (const int p : {0, 1}) orbitals.classes[p] = OrbitalClass::inactive;
    for (const int p : {2, 4, 5, 6})
      orbitals.classes[p] = OrbitalClass::active;  // 3 stays empty: any order will do
    densities = random_densities();
    // Active ones as between the parts of a restricted active space, and some of other irreps: these densities are not
    // totally symmetric.
    for (const OrbitalPair pair :
         {OrbitalPair{5, 2}, {6, 4}, {5, 4}, {6, 2}, {4, 1}, {9, 4}, {8, 0}, {10, 1}}) {
      if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
    }
    std::mt19937 generator(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int k = 0; k < 2; ++k) {
      directions.emplace_back();
      for (std::size_t pair = 0; pair < pairs.size(); ++pair) directions.back().push_back(uniform(generator));
    }
  }

  static ActiveDensities random_densities() {
    constexpr int n = 4;
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    ActiveDensities d{Matrix(n, n), std::vector<double>(n * n * n * n)};
    for (int u = 0; u < n; ++u) {
      for (int v = 0; v <= u; ++v) d.one(u, v) = d.one(v, u) = uniform(generator);
    }
    const auto at = [](int u, int v, int w, int x) { return ((u * n + v) * n + w) * n + x; };
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < n; ++v)
        for (int w = 0; w < n; ++w)
          for (int x = 0; x < n; ++x) {
            // <a+_u a+_w a_x a_v> = <a+_w a+_u a_v a_x>, and its adjoint; not symmetric in u, v alone.
            const double value = uniform(generator);
            d.two[at(u, v, w, x)] = d.two[at(w, x, u, v)] = d.two[at(v, u, x, w)] = d.two[at(x, w, v, u)] =
                value;
          }
    return d;
  }

  OrbitalIntegrals integrals(const ClassifiedOrbitals& of) const { return {molecule->view(), of}; }

  OrbitalDerivatives derivatives(const OrbitalIntegrals& of) const {
    return {molecule->view(), of, densities, pairs};
  }

  ClassifiedOrbitals turned(const std::vector<double>& x) const {
    ClassifiedOrbitals out = orbitals;
    out.coefficients = turned_orbitals(orbitals.coefficients, pairs, x);
    return out;
  }

  double energy(const std::vector<double>& x) const {
    const OrbitalIntegrals there = integrals(turned(x));
    return derivatives(there).energy();
  }

  /// E of the definition, from integrals over the active orbitals by the transformation of a CI.
  double energy_by_definition() const {
    const ScfOrbitals all{
        orbitals.coefficients, std::vector<double>(orbitals.irreps.size()), orbitals.irreps, {}};
    // Labels must not set elements to zero here: densities are of no symmetry.
    ScfOrbitals unlabelled = all;
    std::ranges::fill(unlabelled.irreps, 0);
    const auto active = transform_integrals(molecule->view(), unlabelled, orbitals.of(OrbitalClass::inactive),
                                            orbitals.of(OrbitalClass::empty), {})
                            .integrals;
    double sum = active.core_energy;
    for (int u = 0; u < 4; ++u)
      for (int v = 0; v < 4; ++v) {
        sum += active.h(u, v) * densities.one(u, v);
        for (int w = 0; w < 4; ++w)
          for (int x = 0; x < 4; ++x)
            sum += 0.5 * active.eri(u, v, w, x) * densities.two[((u * 4 + v) * 4 + w) * 4 + x];
      }
    return sum;
  }

  static std::vector<double> scaled(const std::vector<double>& x, double factor) {
    std::vector<double> y = x;
    for (double& element : y) element *= factor;
    return y;
  }

  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }

  std::unique_ptr<TestMolecule> molecule;
  ClassifiedOrbitals orbitals;
  ActiveDensities densities;
  std::vector<OrbitalPair> pairs;
  std::vector<std::vector<double>> directions;
};

TEST_F(OrbitalOptimisation, EnergyAndActiveIntegralsAreThoseOfTheTransformation) {
  const OrbitalIntegrals here = integrals(orbitals);
  EXPECT_NEAR(derivatives(here).energy(), energy_by_definition(), 1e-10);
  const ScfOrbitals all{
      orbitals.coefficients, std::vector<double>(orbitals.irreps.size()), orbitals.irreps, {}};
  const Integrals expected = transform_integrals(molecule->view(), all, orbitals.of(OrbitalClass::inactive),
                                                 orbitals.of(OrbitalClass::empty), {})
                                 .integrals;
  const Integrals active = here.active();
  EXPECT_NEAR(active.core_energy, expected.core_energy, 1e-11);
  EXPECT_EQ(active.irreps, expected.irreps);
  for (std::size_t k = 0; k < active.one.size(); ++k) EXPECT_NEAR(active.one[k], expected.one[k], 1e-12);
  for (std::size_t k = 0; k < active.two.size(); ++k) EXPECT_NEAR(active.two[k], expected.two[k], 1e-12);
}

TEST_F(OrbitalOptimisation, SeveralPassesGiveTheSameIntegrals) {
  const auto one = derivatives(integrals(orbitals)).hessian_product(directions[0]);
  const OrbitalIntegrals in_passes(molecule->view(), orbitals, 1);
  const auto several = derivatives(in_passes).hessian_product(directions[0]);
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(several[k], one[k], 1e-11);
}

TEST_F(OrbitalOptimisation, GradientIsThatOfTheEnergy) {
  const OrbitalIntegrals here = integrals(orbitals);
  const auto gradient = derivatives(here).gradient();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    std::vector<double> x(pairs.size());
    constexpr double h = 1e-3;
    x[k] = h;
    const double forth = energy(x), forth_2 = energy(scaled(x, 2.0));
    const double back = energy(scaled(x, -1.0)), back_2 = energy(scaled(x, -2.0));
    // Five points: what is left is h^4 times the fifth derivative, some tens of hartree; rounding 1e-13 / h.
    const double expected = (8.0 * (forth - back) - (forth_2 - back_2)) / (12.0 * h);
    EXPECT_NEAR(gradient[k], expected, 1e-8) << pairs[k].p << " " << pairs[k].q;
  }
}

TEST_F(OrbitalOptimisation, HessianIsThatOfTheEnergy) {
  const OrbitalIntegrals here = integrals(orbitals);
  const OrbitalDerivatives point = derivatives(here);
  const double e = point.energy();
  constexpr double h = 2e-3;
  const auto curvature = [&](const std::vector<double>& x) {
    const double one = energy(scaled(x, h)) + energy(scaled(x, -h)) - 2.0 * e;
    const double two = energy(scaled(x, 2.0 * h)) + energy(scaled(x, -2.0 * h)) - 2.0 * e;
    return (16.0 * one - two) / (12.0 * h * h);
  };
  const auto &x = directions[0], &y = directions[1];
  std::vector<double> sum = x;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += y[k];
  const auto hx = point.hessian_product(x), hy = point.hessian_product(y);
  // h^4 times the sixth derivative along vectors of norm 4, relative; rounding 1e-12 / h^2.
  const double tolerance = 1e-6 * std::abs(dot(x, hx));
  EXPECT_NEAR(dot(x, hx), curvature(x), tolerance);
  EXPECT_NEAR(dot(y, hy), curvature(y), tolerance);
  EXPECT_NEAR(2.0 * dot(x, hy), curvature(sum) - curvature(x) - curvature(y), 2.0 * tolerance);
  EXPECT_NEAR(dot(x, hy), dot(y, hx), 1e-10);  // symmetric to rounding
}

TEST_F(OrbitalOptimisation, DiagonalIsThatOfTheHessian) {
  const OrbitalIntegrals here = integrals(orbitals);
  const OrbitalDerivatives point = derivatives(here);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    std::vector<double> x(pairs.size());
    x[k] = 1.0;
    const auto [p, q] = pairs[k];
    const bool exact =
        orbitals.classes[p] == OrbitalClass::active || orbitals.classes[q] == OrbitalClass::active;
    const double expected = point.hessian_product(x)[k];
    EXPECT_NEAR(point.diagonal()[k], expected, exact ? 1e-10 : 0.25 * std::abs(expected)) << p << " " << q;
  }
}

TEST_F(OrbitalOptimisation, LowestEigenvalueIsThatOfTheHessian) {
  const OrbitalIntegrals here = integrals(orbitals);
  const OrbitalDerivatives point = derivatives(here);
  // Power iterations on (shift - H): slow, sure, and of another kind.
  constexpr double shift = 200.0;
  std::vector<double> x = directions[0];
  double lowest = 0.0;
  for (int k = 0; k < 600; ++k) {
    const auto hx = point.hessian_product(x);
    const double norm = std::sqrt(dot(x, x));
    lowest = dot(x, hx) / (norm * norm);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (shift * x[i] - hx[i]) / norm;
  }
  EXPECT_NEAR(point.lowest_hessian_eigenvalue(), lowest, 0.02 * std::abs(lowest));
}

TEST_F(OrbitalOptimisation, TurningWithinAClassChangesNothing) {
  // Inactive and empty orbitals of one irrep, with densities as they are: the gradient keeps its norm.
  const auto norm_of = [&](const ClassifiedOrbitals& of) {
    const OrbitalIntegrals there(molecule->view(), of);
    ClassifiedOrbitals any = of;
    std::ranges::fill(any.irreps, 0);
    const OrbitalDerivatives point(molecule->view(), there, densities, rotations_between_classes(any));
    return std::pair{point.energy(), dot(point.gradient(), point.gradient())};
  };
  ClassifiedOrbitals other = orbitals;
  const std::vector<OrbitalPair> within = {{1, 0}, {7, 3}, {9, 8}, {12, 10}};
  const std::vector<double> x = {0.7, 0.4, -1.1, 0.3};
  other.coefficients = turned_orbitals(orbitals.coefficients, within, x);
  const auto [energy, norm] = norm_of(orbitals);
  const auto [energy_there, norm_there] = norm_of(other);
  EXPECT_NEAR(energy_there, energy, 1e-10);
  EXPECT_NEAR(norm_there, norm, 1e-9 * norm);
}

TEST_F(OrbitalOptimisation, TurningActiveOrbitalsWithTheirDensitiesChangesNothing) {
  const OrbitalIntegrals here = integrals(orbitals);
  const double before = derivatives(here).energy();
  // U = exp(X) over the active orbitals, C' = C U and D' = U^T D U.
  const std::vector<OrbitalPair> within = {{4, 2}, {6, 5}, {5, 4}};
  ClassifiedOrbitals other = orbitals;
  const std::vector<double> x = {0.5, -0.8, 0.9};
  other.coefficients = turned_orbitals(orbitals.coefficients, within, x);
  Matrix unit(4, 4);
  for (int u = 0; u < 4; ++u) unit(u, u) = 1.0;
  const std::vector<OrbitalPair> among_active = {{1, 0}, {3, 2}, {2, 1}};
  const Matrix turn = turned_orbitals(unit, among_active, x);
  ActiveDensities d{Matrix(4, 4), densities.two};
  for (int u = 0; u < 4; ++u)
    for (int v = 0; v < 4; ++v)
      for (int w = 0; w < 4; ++w)
        for (int y = 0; y < 4; ++y) d.one(u, v) += turn(w, u) * densities.one(w, y) * turn(y, v);
  for (int index = 0; index < 4; ++index) {  // the first index of four, which then goes to the end
    std::vector<double> next(256);
    for (int u = 0; u < 4; ++u)
      for (int rest = 0; rest < 64; ++rest)
        for (int w = 0; w < 4; ++w) next[rest * 4 + u] += turn(w, u) * d.two[w * 64 + rest];
    d.two = next;
  }
  densities = d;
  const OrbitalIntegrals there = integrals(other);
  EXPECT_NEAR(derivatives(there).energy(), before, 1e-10);
}

TEST_F(OrbitalOptimisation, PairsAreOfOneIrrepAndTwoClassesAndNotFixed) {
  const std::vector<int> fixed = {0, 9};
  const auto free = rotations_between_classes(orbitals);
  const auto rest = rotations_between_classes(orbitals, fixed);
  EXPECT_LT(rest.size(), free.size());
  for (const auto& [p, q] : free) {
    EXPECT_EQ(orbitals.irreps[p], orbitals.irreps[q]);
    EXPECT_GT(orbitals.classes[p], orbitals.classes[q]);
    const bool is_fixed = p == 9 || q == 0;
    EXPECT_EQ(std::ranges::find(rest, OrbitalPair{p, q}) == rest.end(), is_fixed) << p << " " << q;
  }
}

TEST_F(OrbitalOptimisation, PairsAreBetweenSubspacesOfActiveOrbitals) {
  ClassifiedOrbitals few;
  few.coefficients = Matrix(5, 5);
  few.irreps = {0, 0, 0, 1, 0};
  few.classes = {OrbitalClass::inactive, OrbitalClass::active, OrbitalClass::active, OrbitalClass::active,
                 OrbitalClass::active};
  few.subspaces = {0, 0, 1, 1, 1};
  const std::vector<OrbitalPair> expected = {{1, 0}, {2, 0}, {2, 1}, {4, 0}, {4, 1}};
  EXPECT_EQ(rotations_between_classes(few), expected);
}

TEST_F(OrbitalOptimisation, RepeatsToTheLastBitWithAnyNumberOfThreads) {
  const auto numbers = [&](int threads) {
    const ThreadScope scope(threads);
    const TestMolecule again(test::water, "6-31g");
    const OrbitalIntegrals here(again.view(), orbitals);
    const OrbitalDerivatives point(again.view(), here, densities, pairs);
    std::vector<double> all = point.hessian_product(directions[0]);
    all.insert(all.end(), point.gradient().begin(), point.gradient().end());
    all.push_back(point.energy());
    return all;
  };
  const std::vector<double> one = numbers(1);
  for (const int threads : {2, 8}) EXPECT_EQ(numbers(threads), one) << threads << " threads";
}

TEST_F(OrbitalOptimisation, RefusesWhatDoesNotFit) {
  const OrbitalIntegrals here = integrals(orbitals);
  EXPECT_THROW(derivatives(here).hessian_product(std::vector<double>(1)), DimensionError);
  EXPECT_THROW(OrbitalDerivatives(molecule->view(), here, densities, {{99, 0}}), DimensionError);
  EXPECT_THROW(OrbitalDerivatives(molecule->view(), here, {Matrix(3, 3), {}}, pairs), DimensionError);
  ClassifiedOrbitals unlabelled = orbitals;
  unlabelled.irreps.pop_back();
  EXPECT_THROW(integrals(unlabelled), DimensionError);
}

}  // namespace test_orbital_optimisation
}  // namespace cisolve
