// SPDX-License-Identifier: MIT
// Full CI over spinors: what no choice of them changes, and levels in a magnetic field.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/problem/serve_ranks.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "core/orthonormal.hpp"

namespace cisolve {
namespace test_complex_problem {

using Eigen::MatrixXcd;

constexpr std::int64_t memory = std::int64_t{1} << 30;
const Resources one_rank{.memory = memory, .devices = {}};

std::vector<double> lowest(const ComplexIntegrals& integrals, int electrons, int count,
                           const Resources& resources = one_rank) {
  DeterminantSelection selection;
  selection.num_orbitals = integrals.num_orbitals;
  selection.irreps.assign(integrals.num_orbitals, 0);
  selection.references = {{BitString<most_string_words>::lowest(electrons), {}}};
  selection.excitation_level = electrons;
  selection.irrep = any_irrep;
  BasisDefinition definition;
  definition.integrals = std::make_shared<const Integrals>(diagonal_part(integrals));
  definition.functions = selection;
  definition.complex = std::make_shared<const ComplexIntegrals>(integrals);
  const Problem problem(make_basis(definition, memory));
  PlanOptions options;
  options.storage = "csr";
  options.solver.num_roots = 2 * count;
  options.solver.tolerance = 1e-8;
  options.solver.max_iterations = 300;
  const auto finder = make_root_finder(problem, make_plan(problem, options, resources));
  Search search;
  search.num_roots = count;
  const Roots roots = finder->solve(search);
  EXPECT_EQ(roots.status, SolverStatus::converged);
  EXPECT_GE(std::ssize(roots.energies), count);
  return roots.energies;
}

MatrixXcd random_unitary(int n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  MatrixXcd m(n, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) m(p, q) = Complex(normal(engine), normal(engine));
  }
  return test::orthonormal(m);
}

/// Integrals over the spinors sum_p U_pk phi_p.
ComplexIntegrals turned(const ComplexIntegrals& v, const MatrixXcd& u) {
  const int n = v.num_orbitals;
  ComplexIntegrals result(n, true);
  result.core_energy = v.core_energy;
  MatrixXcd h(n, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) h(p, q) = v.h(p, q);
  }
  h = (u.adjoint() * h * u).eval();
  // (ij|rs) for all rs, then (ij|kl).
  const auto at = [n](int p, int q) { return p * n + q; };
  std::vector<MatrixXcd> half(n * n, MatrixXcd(n, n));
  for (int r = 0; r < n; ++r) {
    for (int s = 0; s < n; ++s) {
      MatrixXcd of_pair(n, n);
      for (int p = 0; p < n; ++p) {
        for (int q = 0; q < n; ++q) of_pair(p, q) = v.eri(p, q, r, s);
      }
      of_pair = (u.adjoint() * of_pair * u).eval();
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) half[at(i, j)](r, s) = of_pair(i, j);
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      result.h(i, j) = h(i, j);
      const MatrixXcd whole = u.adjoint() * half[at(i, j)] * u;
      for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) result.eri(i, j, k, l) = whole(k, l);
      }
    }
  }
  return result;
}

ComplexIntegrals read(const std::string& name) {
  return *read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / name).complex;
}

TEST(ComplexProblem, AUnitaryOfSpinorsChangesNothing) {
  const ComplexIntegrals spinors = read("complex/sh_x2c.columns.fcidump.gz");
  const std::vector<double> expected = lowest(spinors, 7, 4);
  const std::vector<double> found = lowest(turned(spinors, random_unitary(10, 3)), 7, 4);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-9);
}

TEST(ComplexProblem, IsSharedOutAmongRanks) {
  const ComplexIntegrals spinors = read("complex/sh_x2c.columns.fcidump.gz");
  const std::vector<double> expected = lowest(spinors, 7, 4);
  const auto expect_same = [&](const Resources& resources) {
    const std::vector<double> found = lowest(spinors, 7, 4, resources);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k]));
  };
  expect_same({.memory = memory, .devices = {}, .ranks = 3});
  run_ranks(2, [&](const Communicator& all) {
    if (all.rank() > 0) return serve_ranks(all, {});
    const ServedRanks served(all, {});
    expect_same(served.resources(one_rank, true));
  });
}

/// Real orbitals as spinors, with +-B / 2 for the spins: the energy of a doublet is split by B, and by nothing else.
TEST(ComplexProblem, AFieldSplitsADoublet) {
  const Integrals real =
      read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump").integrals;
  const int n = real.num_orbitals;
  ComplexIntegrals orbitals(n, false);
  orbitals.core_energy = real.core_energy;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      orbitals.h(p, q) = real.h(p, q);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) orbitals.eri(p, q, r, s) = real.eri(p, q, r, s);
      }
    }
  }
  ComplexIntegrals spinors = as_spinors(orbitals);
  const std::vector<double> without = lowest(spinors, 9, 2);  // the cation's ground state
  EXPECT_NEAR(without[0], without[1], 1e-9);
  constexpr double field = 0.01;  // hartree: less than what is between its states
  for (int p = 0; p < n; ++p) {
    spinors.h(p, p) += 0.5 * field;
    spinors.h(p + n, p + n) -= 0.5 * field;
  }
  const std::vector<double> split = lowest(spinors, 9, 2);
  EXPECT_NEAR(split[0], without[0] - 0.5 * field, 1e-9);
  EXPECT_NEAR(split[1], without[0] + 0.5 * field, 1e-9);
}

TEST(ComplexProblem, IntegralsThatTakeMoreThanTheMemoryAreRefused) {
  DeterminantSelection selection;
  selection.num_orbitals = 7;
  selection.irreps.assign(7, 0);
  selection.references = {{BitString<most_string_words>::lowest(5), BitString<most_string_words>::lowest(5)}};
  selection.excitation_level = 1;
  selection.irrep = any_irrep;
  const auto complex = std::make_shared<const ComplexIntegrals>(7, false);
  BasisDefinition definition;
  definition.integrals = std::make_shared<const Integrals>(diagonal_part(*complex));
  definition.functions = selection;
  definition.complex = complex;
  const std::int64_t bytes = 16 * std::int64_t{num_pairs(14 * 14)};  // over 14 spinors
  EXPECT_NO_THROW(require_room(definition, bytes));
  EXPECT_THROW(require_room(definition, bytes - 1), DoesNotFit);
}

}  // namespace test_complex_problem
}  // namespace cisolve
