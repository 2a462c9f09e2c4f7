// SPDX-License-Identifier: MIT
// Problems solved by several ranks, which are threads here: what one rank finds, they find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "problem/small_problems.hpp"

namespace cisolve {
namespace test_ranked_root_finder {

using namespace test;

struct Case {
  Kind kind;
  int ranks;
};

class RankedRootFinders : public testing::TestWithParam<Case> {
protected:
  /// Ranks on the host, or one rank.
  static Resources on_host(int ranks) { return {.memory = 8 * gib, .devices = {}, .ranks = ranks}; }

  std::unique_ptr<RootFinder> finder(const Resources& resources) const {
    PlanOptions options;
    options.storage = "direct";
    options.solver.num_roots = 2;
    options.solver.tolerance = 1e-8;
    return make_root_finder(problem_, make_plan(problem_, options, resources));
  }

  void expect_same_roots(const Resources& resources) const {
    const auto one = finder(on_host(1)), several = finder(resources);
    EXPECT_EQ(several->num_states(), one->num_states());
    EXPECT_EQ(several->model_space().rows, one->model_space().rows);
    const Roots expected = one->solve({}), found = several->solve({});
    ASSERT_EQ(found.status, SolverStatus::converged);
    ASSERT_EQ(found.energies.size(), expected.energies.size());
    // What convergence leaves, residual^2 / gap, is the same for both; the rest is the rounding of other sums.
    for (std::size_t k = 0; k < found.energies.size(); ++k)
      EXPECT_NEAR(found.energies[k], expected.energies[k], 1e-12 * std::abs(expected.energies[k]));
    const auto n = static_cast<std::size_t>(problem_.basis->size());
    ASSERT_EQ(found.vectors->rows(), problem_.basis->size());
    Array<double> buffer, other;
    const auto vectors = found.vectors->view(0, found.vectors->columns(), buffer);
    const auto of_one = expected.vectors->view(0, expected.vectors->columns(), other);
    for (const double norm : one->residual_norms(vectors, found.energies)) EXPECT_LT(norm, 2e-8);
    for (const double norm : several->residual_norms(of_one, expected.energies)) EXPECT_LT(norm, 2e-8);
    double overlap = 0.0;
    for (std::size_t i = 0; i < n; ++i) overlap += vectors[i] * of_one[i];
    EXPECT_NEAR(std::abs(overlap), 1.0, 1e-9);
    // Pieces that begin and end within a rank's rows.
    std::vector<double> piece(n / 2);
    found.vectors->read(1, static_cast<std::int64_t>(n / 3), piece);
    EXPECT_TRUE(std::ranges::equal(piece, vectors.subspan(n + n / 3, n / 2)));
  }

  void expect_same_products(const Resources& resources) const {
    const auto one = finder(on_host(1)), several = finder(resources);
    const auto n = static_cast<std::size_t>(problem_.basis->size());
    std::vector<double> x(3 * n), expected(3 * n), y(3 * n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i % 1009));
    one->apply(x, expected);
    several->apply(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-11) << i;
    several->apply({}, {});  // of no vectors
    EXPECT_THROW(several->apply(std::span(x).first(n - 1), std::span(y).first(n - 1)), DimensionError);
    const std::vector<std::int64_t> rows{0, problem_.basis->size() / 2, problem_.basis->size() - 1};
    const std::vector<double> coefficients{0.8, -0.36, 0.48};
    EXPECT_NEAR(several->expectation(rows, coefficients), one->expectation(rows, coefficients), 1e-11);
  }

  /// What a search left when it was stopped, and what it wrote then.
  struct Left {
    std::int64_t rows = 0;
    std::vector<double> vectors;
    std::vector<IterationRecord> history;
  };
  Left stop_after(int iterations, const Resources& resources) const {
    Left left;
    Search search;
    search.observer = [&](const SearchState& state) {
      if (state.record.iteration < iterations) return SolverAction::proceed;
      const auto columns = state.restart_vectors();
      left.rows = columns->rows();
      const auto n = static_cast<std::size_t>(left.rows);
      left.vectors.resize(n * static_cast<std::size_t>(columns->columns()));
      for (int k = 0; k < columns->columns(); ++k) {
        const auto column = std::span(left.vectors).subspan(static_cast<std::size_t>(k) * n, n);
        columns->read(k, 0, column.first(n / 3));
        columns->read(k, static_cast<std::int64_t>(n / 3), column.subspan(n / 3));
      }
      left.history = state.history;
      return SolverAction::stop;
    };
    EXPECT_EQ(finder(resources)->solve(search).status, SolverStatus::interrupted);
    return left;
  }

  void expect_restarts(const Resources& resources) const {
    const double expected = finder(on_host(1))->solve({}).energies[0];
    for (const auto& [first, second] : {std::pair{resources, on_host(1)}, std::pair{on_host(1), resources}}) {
      const Left left = stop_after(2, first);
      Search search;
      // Not seen in memory, as those of a file: handed out a piece at a time.
      const auto seen = seen_vectors(left.vectors, left.rows);
      std::vector<int> all(static_cast<std::size_t>(seen->columns()));
      std::iota(all.begin(), all.end(), 0);
      search.start = std::make_shared<ChosenVectors>(seen, all);
      search.continues = true;
      search.history = left.history;
      const Roots found = finder(second)->solve(search);  // whose vectors outlive the finder
      EXPECT_EQ(found.status, SolverStatus::converged);
      EXPECT_NEAR(found.energies[0], expected, 1e-11);
    }
  }

  const Problem problem_{make_basis(definition(GetParam().kind), 8 * gib)};
};

TEST_P(RankedRootFinders, FindTheRootsOfOne) { expect_same_roots(on_host(GetParam().ranks)); }
TEST_P(RankedRootFinders, MakeTheProductsOfOne) { expect_same_products(on_host(GetParam().ranks)); }
TEST_P(RankedRootFinders, GoOnFromEachOther) { expect_restarts(on_host(GetParam().ranks)); }

TEST_P(RankedRootFinders, RepeatToTheLastBit) {
  std::vector<std::vector<double>> found;
  for (int k = 0; k < 2; ++k) {
    const auto several = finder(on_host(GetParam().ranks));
    const Roots roots = several->solve({});
    Array<double> buffer;
    const auto vectors = roots.vectors->view(0, roots.vectors->columns(), buffer);
    found.emplace_back(vectors.begin(), vectors.end());
    found.back().insert(found.back().end(), roots.energies.begin(), roots.energies.end());
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST_P(RankedRootFinders, LeaveWhenAnObserverThrows) {
  const auto several = finder(on_host(GetParam().ranks));
  Search search;
  search.observer = test::fail_to_write;
  try {
    several->solve(search);
    FAIL() << "nothing was thrown";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_EQ(several->solve({}).status, SolverStatus::converged) << "afterwards";
}

std::vector<Case> cases(std::vector<int> numbers_of_ranks) {
  std::vector<Case> all;
  for (const Kind& kind : kinds) {
    for (const int ranks : numbers_of_ranks) all.push_back({kind, ranks});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& one) {
  return std::string(one.param.kind.name) + "On" + std::to_string(one.param.ranks);
}

INSTANTIATE_TEST_SUITE_P(Problems, RankedRootFinders, testing::ValuesIn(cases({2, 3, 4, 7})), name_of);

/// Ranks on devices: one for each where there are so many, else all on the first.
class RankedRootFindersGpu : public RankedRootFinders {
protected:
  void SetUp() override {
    resources_ = available_resources();
    if (resources_.devices.empty()) GTEST_SKIP() << "no CUDA device";
    const std::vector<Device> all = resources_.devices;
    resources_.devices.resize(static_cast<std::size_t>(GetParam().ranks));
    for (std::size_t k = 0; k < resources_.devices.size(); ++k)
      resources_.devices[k] = all.size() < resources_.devices.size() ? all.front() : all[k];
    resources_.ranks = GetParam().ranks;
    resources_.device_required = true;
  }

  Resources resources_;
};

TEST_P(RankedRootFindersGpu, FindTheRootsOfOne) { expect_same_roots(resources_); }
TEST_P(RankedRootFindersGpu, MakeTheProductsOfOne) { expect_same_products(resources_); }
TEST_P(RankedRootFindersGpu, GoOnFromEachOther) { expect_restarts(resources_); }

INSTANTIATE_TEST_SUITE_P(Problems, RankedRootFindersGpu, testing::ValuesIn(cases({2, 3, 4})), name_of);

class SeveralRanks : public testing::Test {};

TEST_F(SeveralRanks, AreKeptToASpinOnceAnotherWasDropped) {
  const Problem problem(make_basis(definition(kinds[4]), 8 * gib));
  PlanOptions options;
  options.storage = "direct";
  const auto late = [&](int ranks) {
    Plan plan = make_plan(problem, options, {.memory = 8 * gib, .devices = {}, .ranks = ranks});
    std::get<DirectPlan>(plan).keeps_spin = false;
    return make_root_finder(problem, std::move(plan));
  };
  std::vector<double> lowest;
  for (const int ranks : {1, 3}) {
    const auto finder = late(ranks);
    const double first = finder->solve({}).energies[0];
    ASSERT_TRUE(finder->may_project_on_spin());
    finder->project_on_spin();
    EXPECT_FALSE(finder->may_project_on_spin());
    lowest.push_back(finder->solve({}).energies[0]);
    EXPECT_GT(lowest.back(), first + 1e-4);
  }
  EXPECT_NEAR(lowest[0], lowest[1], 1e-11);
}

TEST_F(SeveralRanks, ProbeForTheSameMissedRoots) {
  const Problem problem(make_basis(definition(kinds[0]), 8 * gib));
  PlanOptions options;
  options.storage = "direct";
  options.solver.num_roots = 3;
  std::vector<std::vector<double>> below;
  for (const int ranks : {1, 4}) {
    const auto finder = make_root_finder(
        problem, make_plan(problem, options, {.memory = 8 * gib, .devices = {}, .ranks = ranks}));
    const Roots roots = finder->solve({});
    Array<double> buffer;
    const auto vectors = roots.vectors->view(1, 2, buffer);  // without the lowest
    below.emplace_back();
    const MissedRootProbe probe =
        finder->probe(vectors, roots.energies[1], roots.energies[2], 100, below.back());
    EXPECT_EQ(below.back().size(), static_cast<std::size_t>(problem.basis->size()));
    EXPECT_GT(probe.products, 0);
  }
  double overlap = 0.0;
  for (std::size_t i = 0; i < below[0].size(); ++i) overlap += below[0][i] * below[1][i];
  EXPECT_NEAR(std::abs(overlap), 1.0, 1e-3);
}

}  // namespace test_ranked_root_finder
}  // namespace cisolve
