// SPDX-License-Identifier: MIT
#include "cisolve/selection/heat_bath.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cisolve/core/thread_scope.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "selection/all_determinants.hpp"

namespace cisolve {
namespace test_heat_bath {

template <int Words>
std::vector<Determinant<Words>> selected(const RandomSelection<Words>& s, double epsilon, double floor) {
  const OppositeSpinMoves opposite(s.tables, floor);
  return heat_bath_selection<Words>(s.tables, s.alpha_moves, s.beta_moves, opposite, s.listed, s.vectors,
                                    epsilon);
}

template <int Words>
void expect_selection_of_definition(const typename RandomSelection<Words>::Shape& shape) {
  const RandomSelection<Words> s(shape);
  for (const double epsilon : {0.0, 0.3, 2.0, 100.0}) {
    std::vector<Determinant<Words>> expected;
    for (const auto& a : s.all) {
      bool is_chosen = false;
      for (std::size_t i = 0; i < s.listed.size() && !is_chosen; ++i) {
        for (std::size_t k = 0; k < s.energies.size(); ++k)
          is_chosen = is_chosen || std::abs(matrix_element(s.integrals, a, s.listed[i]) *
                                            s.vectors[k * s.listed.size() + i]) > epsilon;
      }
      if (is_chosen && !s.is_listed(a)) expected.push_back(a);
    }
    std::ranges::sort(expected);
    EXPECT_EQ(selected(s, epsilon, 0.0), expected) << epsilon;
  }
}

TEST(HeatBath, TakesWhatTheDefinitionTakes) {
  expect_selection_of_definition<1>({});
  expect_selection_of_definition<1>({.orbitals = 7, .alpha = 3, .beta = 3, .irreps = 1, .zeros = 0.5});
  expect_selection_of_definition<1>(
      {.orbitals = 6, .alpha = 2, .beta = 4, .irreps = 8, .share = 0.05, .roots = 1});
  expect_selection_of_definition<1>(
      {.orbitals = 6, .alpha = 3, .beta = 3, .irreps = 2, .unrestricted = true});
  expect_selection_of_definition<2>(
      {.orbitals = 66, .alpha = 1, .beta = 1, .irreps = 8, .zeros = 0.9, .share = 0.01});
}

TEST(HeatBath, NeedsNoMovesBelowTheFloor) {
  RandomSelection<1> s({.orbitals = 7, .alpha = 3, .beta = 3});
  for (double& c : s.vectors) c = std::clamp(c, -1.0, 1.0);
  EXPECT_EQ(selected(s, 0.5, 0.5), selected(s, 0.5, 0.0));
}

TEST(HeatBath, DoesNotDependOnThreads) {
  const RandomSelection<1> s({.orbitals = 8, .alpha = 4, .beta = 3});
  const auto expected = selected(s, 0.5, 0.0);
  const ThreadScope scope(3);
  EXPECT_EQ(selected(s, 0.5, 0.0), expected);
}

}  // namespace test_heat_bath
}  // namespace cisolve
