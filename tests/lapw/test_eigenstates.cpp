// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "cisolve/lapw/eigenstates.hpp"
#include "lapw/synthetic_problem.hpp"

namespace cisolve::lapw {
namespace test_eigenstates {

std::unique_ptr<Engine> engine_of(const SyntheticSize& size) {
  const SyntheticProblem synthetic(size);
  auto engine = make_host_engine();
  engine->generate(synthetic.problem(), {.algorithm = Algorithm::merged}, {});
  return engine;
}

/// One of N x N matrices without spheres: diagonals alone.
std::unique_ptr<Engine> diagonal_engine(const std::vector<double>& h, const std::vector<double>& s) {
  SyntheticProblem nothing({.atoms = 1, .waves = std::ssize(h), .lmax = 0}, false);
  MatrixProblem problem = nothing.problem();
  problem.atom_types = {};
  problem.outside = {.h_diagonal = h, .s_diagonal = s};
  auto engine = make_host_engine();
  engine->generate(problem, {.algorithm = Algorithm::merged}, {});
  return engine;
}

TEST(LapwEigenstates, DirectStatesFulfilTheirEquation) {
  const auto engine = engine_of({.atoms = 5, .waves = 90, .lmax = 2, .types = 2});
  for (const std::int64_t roots : {1, 7, 90}) {
    const Eigenstates states = solve_directly(*engine, {.roots = roots});
    ASSERT_EQ(states.count(), roots);
    EXPECT_TRUE(std::ranges::is_sorted(states.energies));
    for (const double norm : states.residual_norms) EXPECT_LT(norm, 1e-12);
    EXPECT_EQ(states.solver, "direct");
    EXPECT_EQ(states.overlap.dropped, 0);
  }
}

TEST(LapwEigenstates, SomeStatesAreTheLowestOfAll) {
  const auto engine = engine_of({.atoms = 5, .waves = 90, .lmax = 2, .types = 2});
  const Eigenstates all = solve_directly(*engine, {.roots = 90}),
                    some = solve_directly(*engine, {.roots = 6});
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(some.energies[k], all.energies[k], 1e-13);
}

TEST(LapwEigenstates, EndsOfTheOverlapAreItsEigenvalues) {
  const auto engine = engine_of({.atoms = 5, .waves = 700, .lmax = 3, .types = 2});
  const Eigenstates states = solve_directly(*engine, {.roots = 1});
  // S is H of another problem: its eigenvalues by the solver for which S is 1.
  const HermitianPair pair = engine->to_host();
  const std::vector<Complex> s(pair.s.begin(), pair.s.end());
  std::vector<Complex> one(s.size());
  for (std::size_t i = 0; i < 700; ++i) one[i * 701] = 1.0;
  SyntheticProblem nothing({.atoms = 1, .waves = 700, .lmax = 0}, false);
  MatrixProblem problem = nothing.problem();
  problem.atom_types = {};
  problem.outside = {.h = s, .s = one};
  const auto spectrum = make_host_engine();
  spectrum->generate(problem, {.algorithm = Algorithm::merged}, {});
  const Eigenstates values = solve_directly(*spectrum, {.roots = 700});
  EXPECT_NEAR(states.overlap.lowest, values.energies.front(), 1e-3 * values.energies.front());
  EXPECT_NEAR(states.overlap.highest, values.energies.back(), 1e-3 * values.energies.back());
}

TEST(LapwEigenstates, NearlySingularOverlapLosesItsSmallDirections) {
  std::vector<double> h, s;
  for (int i = 0; i < 40; ++i) {
    s.push_back(i % 4 == 3 ? 1e-14 : 1.0 + 0.01 * i);
    h.push_back(s.back() * (i + 0.5));
  }
  const auto engine = diagonal_engine(h, s);
  const Eigenstates states = solve_directly(*engine, {.roots = 40, .overlap_threshold = 1e-10});
  EXPECT_EQ(states.overlap.dropped, 10);
  ASSERT_EQ(states.count(), 30);
  EXPECT_NEAR(states.overlap.lowest, 1e-14, 1e-16);
  EXPECT_NEAR(states.overlap.smallest_kept, 1.0, 1e-12);
  std::size_t at = 0;
  for (int i = 0; i < 40; ++i) {
    if (i % 4 == 3) continue;
    EXPECT_NEAR(states.energies[at++], i + 0.5, 1e-11);
  }
}

TEST(LapwEigenstates, AnIndefiniteOverlapIsSeen) {
  const auto engine = diagonal_engine({1.0, 2.0, 3.0}, {1.0, -0.5, 2.0});
  const Eigenstates states = solve_directly(*engine, {.roots = 3});
  EXPECT_NEAR(states.overlap.lowest, -0.5, 1e-14);
  EXPECT_EQ(states.overlap.dropped, 1);
  EXPECT_EQ(states.count(), 2);
}

TEST(LapwEigenstates, DavidsonFindsTheStatesOfTheDirectSolver) {
  const auto engine = engine_of({.atoms = 12, .waves = 600, .lmax = 4, .types = 3});
  const Eigenstates direct = solve_directly(*engine, {.roots = 8});
  const Eigenstates states = solve_by_davidson(*engine, {.roots = 8, .tolerance = 1e-9});
  EXPECT_EQ(states.solver, "davidson");
  EXPECT_TRUE(states.all_converged());
  EXPECT_LT(states.iterations, 40);
  ASSERT_EQ(states.count(), 8);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(states.energies[k], direct.energies[k], 1e-11);
    EXPECT_LT(states.residual_norms[k], 1.1e-9);
  }
  EXPECT_FALSE(states.notes.empty());
}

TEST(LapwEigenstates, DavidsonSaysWhenItHasNotConverged) {
  const auto engine = engine_of({.atoms = 12, .waves = 600, .lmax = 4, .types = 3});
  const Eigenstates states = solve_by_davidson(*engine, {.roots = 8, .tolerance = 1e-9, .max_iterations = 2});
  EXPECT_FALSE(states.all_converged());
  EXPECT_EQ(states.iterations, 2);
}

TEST(LapwEigenstates, DavidsonStopsWhenItIsAskedTo) {
  const auto engine = engine_of({.atoms = 12, .waves = 600, .lmax = 4, .types = 3});
  int asked = 0;
  const Eigenstates states =
      solve_by_davidson(*engine, {.roots = 8, .tolerance = 1e-12, .stop = [&] { return ++asked == 3; }});
  EXPECT_TRUE(states.interrupted);
}

TEST(LapwEigenstates, DavidsonLeavesASingularOverlapToTheDirectSolver) {
  std::vector<double> h, s;
  for (int i = 0; i < 40; ++i) {
    s.push_back(i == 7 ? -1e-13 : 1.0);
    h.push_back(i);
  }
  const auto engine = diagonal_engine(h, s);
  EXPECT_EQ(solve_by_davidson(*engine, {.roots = 3}).solver, "direct");
}

TEST(LapwEigenstates, NoRootsAreNoWork) {
  const auto engine = engine_of({.atoms = 1, .waves = 10, .lmax = 1});
  EXPECT_EQ(solve_directly(*engine, {.roots = 0}).count(), 0);
  EXPECT_EQ(solve_by_davidson(*engine, {.roots = 0}).count(), 0);
}

}  // namespace test_eigenstates
}  // namespace cisolve::lapw
