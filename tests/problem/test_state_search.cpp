// SPDX-License-Identifier: MIT
// States of a spin among others, and products with what finds them: what a user of the library asks a root finder for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/state_search.hpp"
#include "problem/certified_water.hpp"

namespace cisolve {
namespace test_state_search {

/// Water, all determinants of ten electrons.
BasisDefinition full_ci(std::optional<int> multiplicity = {}) {
  BasisDefinition made = test::singles_and_doubles(test::water().integrals, FunctionKind::determinant);
  std::get<DeterminantSelection>(made.functions).excitation_level = 10;
  made.multiplicity = multiplicity;
  return made;
}

std::unique_ptr<RootFinder> finder_of(const Problem& problem, const char* storage,
                                      const Resources& resources = test::roomy) {
  PlanOptions options;
  options.storage = storage;
  return make_root_finder(problem, make_plan(problem, options, resources));
}

class Products : public testing::TestWithParam<const char*> {
protected:
  void compare(const Resources& resources) {
    const Problem problem(make_basis(full_ci(), test::roomy.memory));
    const auto finder = finder_of(problem, GetParam(), resources);
    const std::size_t n = problem.basis->size();
    constexpr std::size_t columns = 3;
    std::vector<std::int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    const Matrix h = problem.basis->dense_block(rows);
    std::vector<double> x(n * columns), y(n * columns);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i % 1009));
    finder->apply(x, y);
    for (std::size_t k = 0; k < columns; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        double expected = 0.0;
        for (std::size_t j = 0; j < n; ++j)
          expected += h(static_cast<int>(i), static_cast<int>(j)) * x[k * n + j];
        ASSERT_NEAR(y[k * n + i], expected, 1e-11) << "column " << k << ", row " << i;
      }
    }
    EXPECT_EQ(finder->device().has_value(), !resources.devices.empty());
    finder->apply({}, {});  // of no vectors
    EXPECT_THROW(finder->apply(std::span(x).first(n - 1), std::span(y).first(n - 1)), DimensionError);
    EXPECT_THROW(finder->apply(std::span(x).first(n), y), DimensionError);
  }
};

using ProductsGpu = Products;

TEST_P(Products, AreThoseOfTheDenseMatrix) { compare(test::roomy); }

TEST_P(ProductsGpu, AreThoseOfTheDenseMatrix) {
  Resources resources = available_resources();
  if (resources.devices.empty()) GTEST_SKIP() << "no CUDA device";
  resources.device_required = true;
  compare(resources);
}

INSTANTIATE_TEST_SUITE_P(Ways, Products, testing::Values("csr", "coded", "direct"));
INSTANTIATE_TEST_SUITE_P(Ways, ProductsGpu, testing::Values("csr", "coded", "direct"));

TEST(Products, WithoutCopiesAreTheSame) {
  const Problem problem(make_basis(full_ci(), test::roomy.memory));
  const auto finder = finder_of(problem, "direct");
  const std::vector<double> x(problem.basis->size(), 0.1);
  std::vector<double> copied(x.size()), there(x.size());
  finder->apply(x, copied);
  finder->apply_there(x.data(), 1, there.data());
  EXPECT_EQ(there, copied);
}

// tests/data/energies.json: full CI without an irrep, Ms = 0.
class StatesOfWater : public testing::TestWithParam<const char*> {};

TEST_P(StatesOfWater, AreOfTheSpinWanted) {
  const auto search = [](std::optional<int> of_problem, const WantedStates& wanted) {
    const Problem problem(make_basis(full_ci(of_problem), test::roomy.memory));
    const auto finder = finder_of(problem, GetParam());
    return find_states(*problem.basis, *finder, wanted);
  };
  const FoundStates any = search({}, {.count = 6});
  ASSERT_EQ(any.kept.size(), 6U);
  for (const int multiplicity : {1, 3}) {
    // Told apart by a projection, or, where the problem knows of no spin, among more roots than wanted.
    for (const std::optional<int> of_problem : {std::optional(multiplicity), std::optional<int>()}) {
      const FoundStates found = search(of_problem, {.count = 2, .multiplicity = multiplicity});
      ASSERT_EQ(found.kept.size(), 2U);
      std::vector<double> expected;
      for (const std::size_t k : any.kept) {
        const double s_squared = any.found.labels[k].s_squared;
        if (std::abs(s_squared - (multiplicity == 1 ? 0.0 : 2.0)) < 0.1)
          expected.push_back(any.found.roots.energies[k]);
      }
      ASSERT_GE(expected.size(), 2U);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(found.found.roots.energies[found.kept[k]], expected[k], 1e-9);
        EXPECT_NEAR(found.found.labels[found.kept[k]].s_squared, multiplicity == 1 ? 0.0 : 2.0, 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, StatesOfWater, testing::Values("csr", "direct"));

TEST(StateSearch, EndsWhereItsObserverSaysSo) {
  const Problem problem(make_basis(full_ci(), test::roomy.memory));
  const auto finder = finder_of(problem, "direct");
  int searches = 0;
  StateSearchOptions options;
  options.first.observer = [](const SearchState& state) {
    return state.record.iteration == 2 ? SolverAction::stop : SolverAction::proceed;
  };
  options.searched = [&] { ++searches; };
  const FoundStates found = find_states(*problem.basis, *finder, {.count = 2}, std::move(options));
  EXPECT_EQ(found.found.roots.status, SolverStatus::interrupted);
  EXPECT_EQ(found.found.roots.history.size(), 2U);
  EXPECT_TRUE(found.kept.empty());
  EXPECT_EQ(searches, 1);
}

TEST(StateSearch, TakesTheToleranceAndTheLimitOfASearch) {
  const Problem problem(make_basis(full_ci(), test::roomy.memory));
  const auto finder = finder_of(problem, "direct");
  StateSearchOptions options;
  options.first.max_iterations = 2;
  EXPECT_EQ(find_states(*problem.basis, *finder, {}, std::move(options)).found.roots.status,
            SolverStatus::not_converged);
  for (const double tolerance : {1e-3, 1e-9}) {
    StateSearchOptions tighter;
    tighter.first.tolerance = tolerance;
    const FoundStates found = find_states(*problem.basis, *finder, {}, std::move(tighter));
    EXPECT_EQ(found.found.roots.status, SolverStatus::converged);
    EXPECT_LE(found.found.roots.residual_norms.front(), tolerance);
    if (tolerance == 1e-3) {
      EXPECT_GT(found.found.roots.residual_norms.front(), 1e-9);
    }
  }
}

TEST(Basis, FindsDeterminantsThatItLists) {
  const auto basis = make_basis(test::singles_and_doubles(test::water().integrals, FunctionKind::determinant),
                                test::roomy.memory);
  FunctionList list = basis->list(false);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(basis->size()));
  std::iota(expected.begin(), expected.end(), std::int64_t{0});
  EXPECT_EQ(basis->find(list.alpha, list.beta), expected);
  list.alpha[3] = list.beta[3] = 0b1111100;  // four electrons moved
  expected[3] = -1;
  EXPECT_EQ(basis->find(list.alpha, list.beta), expected);
  const auto csfs =
      make_basis(test::singles_and_doubles(test::water().integrals, FunctionKind::csf), test::roomy.memory);
  EXPECT_THROW(csfs->find(list.alpha, list.beta), DimensionError);
}

TEST(Basis, OfAnotherSpinHasTheSameFunctions) {
  const auto basis = make_basis(full_ci(1), test::roomy.memory);
  const auto triplets = basis->over(basis->definition().integrals, 3),
             any = basis->over(basis->definition().integrals, {});
  EXPECT_EQ(triplets->as_product(), basis->as_product());
  ASSERT_TRUE(basis->spin_structure() && triplets->spin_structure());
  EXPECT_EQ(triplets->spin_structure()->wanted, 2.0);
  EXPECT_FALSE(any->spin_structure());
}

}  // namespace test_state_search
}  // namespace cisolve
