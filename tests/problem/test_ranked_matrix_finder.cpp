// SPDX-License-Identifier: MIT
// Stored matrices of which every rank has some rows: what one rank finds, ranks find, be they threads or, as threads that
// stand for them, processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/problem/selected_ci.hpp"
#include "cisolve/problem/serve_ranks.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "problem/stored_problems.hpp"

namespace cisolve {
namespace test_ranked_matrix_finder {

using namespace test;

Resources on_host(int ranks) { return {.memory = 8 * gib, .devices = {}, .ranks = ranks}; }

PlanOptions options_for(const std::string& storage) {
  PlanOptions options;
  options.storage = storage;
  options.solver.num_roots = 2;
  options.solver.tolerance = 1e-8;
  return options;
}

std::unique_ptr<RootFinder> make_finder(const Problem& problem, const std::string& storage,
                                        const Resources& resources) {
  return make_root_finder(problem, make_plan(problem, options_for(storage), resources));
}

/// Everything that a search gives.
struct Found {
  std::vector<double> energies, vectors;

  bool operator==(const Found&) const = default;
};

Found find(const Problem& problem, const std::string& storage, const Resources& resources) {
  const auto finder = make_finder(problem, storage, resources);
  const Roots roots = finder->solve({});
  EXPECT_EQ(roots.status, SolverStatus::converged);
  Array<double> buffer;
  const auto vectors = roots.vectors->view(0, roots.vectors->columns(), buffer);
  return {roots.energies, {vectors.begin(), vectors.end()}};
}

/// To 1e-12 of itself: what convergence leaves, residual^2 / gap, is the same; the rest is the rounding of other sums.
void expect_same_energies(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k]));
}

/// work(resources of all) on the first of several processes, which the others serve.
void with_processes(int processes, int each, const std::function<void(const Resources&)>& work) {
  run_ranks(processes, [&](const Communicator& all) {
    if (all.rank() > 0) return serve_ranks(all, {});
    const ServedRanks served(all, {});
    work(served.resources(on_host(each), true));
  });
}

std::vector<double> some_vectors(std::size_t size) {
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(static_cast<double>(i * i % 1009));
  return x;
}

class RankedMatrixFinders : public testing::TestWithParam<StoredKind> {
protected:
  const ThreadScope one_thread_{1};  // of a model space, which shows in the last bits
  const Problem problem_{make_basis(GetParam().definition(), 8 * gib)};
};

TEST_P(RankedMatrixFinders, FindTheRootsOfOne) {
  EXPECT_GT(problem_.basis->size(), 400) << "else the model space has all rows";
  const Found expected = find(problem_, "csr", on_host(1));
  for (const int ranks : {2, 3, 4, 7}) {
    const Found found = find(problem_, "csr", on_host(ranks));
    expect_same_energies(found.energies, expected.energies);
    EXPECT_TRUE(find(problem_, "csr", on_host(ranks)) == found) << "to the last bit";
    const auto one = make_finder(problem_, "csr", on_host(1));
    for (const double norm : one->residual_norms(found.vectors, found.energies)) EXPECT_LT(norm, 2e-8);
  }
}

TEST_P(RankedMatrixFinders, MakeTheProductsOfOneInEveryFormat) {
  const auto n = static_cast<std::size_t>(problem_.basis->size());
  const std::vector<double> x = some_vectors(3 * n), energies{-1.0, 2.0, 3.0};
  const auto one = make_finder(problem_, "csr", on_host(1));
  std::vector<double> expected(3 * n), y(3 * n);
  one->apply(x, expected);
  const std::vector<std::int64_t> rows{0, problem_.basis->size() / 2, problem_.basis->size() - 1};
  const std::vector<double> coefficients{0.8, -0.36, 0.48};
  for (const std::string_view format : selectable_formats()) {
    SCOPED_TRACE(format);
    const auto several = make_finder(problem_, std::string(format), on_host(3));
    several->apply(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-11) << i;
    EXPECT_NEAR(several->expectation(rows, coefficients), one->expectation(rows, coefficients), 1e-11);
    const HamiltonianSummary &summary = several->hamiltonian(), &of_one = one->hamiltonian();
    EXPECT_EQ(summary.storage, format);
    EXPECT_EQ(summary.ranks, 3);
    EXPECT_EQ(summary.rows, of_one.rows);
    EXPECT_EQ(summary.nonzeros, of_one.nonzeros);
    EXPECT_EQ(summary.reference_sparsity, of_one.reference_sparsity);
    EXPECT_EQ(summary.expansion_sparsity, of_one.expansion_sparsity);
    EXPECT_EQ(summary.sparsity, of_one.sparsity);
    EXPECT_GT(summary.bytes, 0);
  }
}

TEST_P(RankedMatrixFinders, OfProcessesFindWhatAsManyThreadsFind) {
  for (const auto& [processes, each] : {std::pair{3, 1}, {2, 2}}) {
    const Found of_threads = find(problem_, "csr", on_host(processes * each));
    with_processes(processes, each, [&](const Resources& resources) {
      EXPECT_TRUE(find(problem_, "csr", resources) == of_threads);
    });
  }
  const Found coded = find(problem_, "coded", on_host(2));
  with_processes(
      2, 1, [&](const Resources& resources) { EXPECT_TRUE(find(problem_, "coded", resources) == coded); });
}

TEST_P(RankedMatrixFinders, GoOnFromEachOther) {
  const Found expected = find(problem_, "csr", on_host(1));
  for (const auto& [first, second] : {std::pair{3, 1}, {1, 4}, {4, 2}}) {
    std::vector<double> left;
    std::int64_t rows = 0;
    Search search, again;
    search.observer = [&](const SearchState& state) {
      if (state.record.iteration < 2) return SolverAction::proceed;
      const auto columns = state.restart_vectors();
      rows = columns->rows();
      const auto n = static_cast<std::size_t>(rows);
      left.resize(n * static_cast<std::size_t>(columns->columns()));
      for (int k = 0; k < columns->columns(); ++k)
        columns->read(k, 0, std::span(left).subspan(static_cast<std::size_t>(k) * n, n));
      again.history = state.history;
      return SolverAction::stop;
    };
    EXPECT_EQ(make_finder(problem_, "csr", on_host(first))->solve(search).status, SolverStatus::interrupted);
    again.start = seen_vectors(left, rows);
    again.continues = true;
    const Roots found = make_finder(problem_, "csr", on_host(second))->solve(again);
    EXPECT_EQ(found.status, SolverStatus::converged);
    for (std::size_t k = 0; k < expected.energies.size(); ++k)
      EXPECT_NEAR(found.energies[k], expected.energies[k], 1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, RankedMatrixFinders, testing::ValuesIn(stored_kinds),
                         [](const auto& one) { return one.param.name; });

/// Ranks on devices: one for each where there are so many, else all on the first.
class RankedMatrixFindersGpu : public testing::TestWithParam<StoredKind> {
protected:
  static Resources on_devices(int ranks) {
    Resources resources = available_resources();
    const std::vector<Device> all = resources.devices;
    resources.devices.resize(static_cast<std::size_t>(ranks));
    for (std::size_t k = 0; k < resources.devices.size(); ++k)
      resources.devices[k] = all.size() < resources.devices.size() ? all.front() : all[k];
    resources.ranks = ranks;
    resources.device_required = true;
    return resources;
  }
};

TEST_P(RankedMatrixFindersGpu, FindWhatTheHostFinds) {
  if (available_resources().devices.empty()) GTEST_SKIP() << "no CUDA device";
  const Problem problem(make_basis(GetParam().definition(), 8 * gib));
  const Found expected = find(problem, "csr", on_host(1));
  const auto one = make_finder(problem, "csr", on_host(1));
  const auto n = static_cast<std::size_t>(problem.basis->size());
  const std::vector<double> x = some_vectors(5 * n);
  std::vector<double> product(5 * n), y(5 * n);
  one->apply(x, product);
  for (const int ranks : {2, 3, 4}) {
    for (const std::string_view format : selectable_formats()) {
      SCOPED_TRACE(std::to_string(ranks) + " " + std::string(format));
      const auto several = make_finder(problem, std::string(format), on_devices(ranks));
      several->apply(x, y);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], product[i], 1e-11) << i;
    }
    for (const char* format : {"auto", "coded"}) {
      const Found found = find(problem, format, on_devices(ranks));
      expect_same_energies(found.energies, expected.energies);
      EXPECT_TRUE(find(problem, format, on_devices(ranks)) == found) << "to the last bit";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, RankedMatrixFindersGpu,
                         testing::Values(stored_kinds[0], stored_kinds[1], stored_kinds[2]),
                         [](const auto& one) { return one.param.name; });

TEST(RankedMatrices, AreOfListsThatNoDefinitionMakes) {
  BasisDefinition begins = listed(4, {});
  PlanOptions options = options_for("auto");
  options.solver.num_roots = 1;
  const auto grow = [&](const Resources& resources) {
    const auto list = make_selected_ci(begins, 0.0, options, resources);
    std::vector<double> energies;
    for (int pass = 0; pass < 3; ++pass) {
      EXPECT_EQ(list->solve().status, SolverStatus::converged);
      energies.push_back(list->energies()[0]);
      list->grow({.criterion = SelectionCriterion::perturbation, .epsilon = 1e-5});
    }
    energies.push_back(static_cast<double>(list->size()));
    list->solve();
    EXPECT_GT(list->nonzeros(), list->size());
    EXPECT_GT(list->matrix_bytes(), 0);
    SelectedProblem last = list->finish(1e-8);
    Search search;
    search.start = seen_vectors(last.start, list->size());
    const auto finder = make_root_finder(last.problem, std::move(last.plan));
    energies.push_back(static_cast<double>(finder->hamiltonian().nonzeros));
    energies.push_back(finder->solve(search).energies[0]);
    return energies;
  };
  const std::vector<double> expected = grow(on_host(1));
  const auto expect_same = [&](const Resources& resources) {
    const std::vector<double> found = grow(resources);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(found[k], expected[k], 1e-11 * std::abs(expected[k])) << k;
  };
  expect_same(on_host(3));
  with_processes(2, 1, expect_same);
}

TEST(RankedMatrices, LeaveOutElementsOfAThreshold) {
  const ThreadScope one_thread(1);
  const Problem problem(make_basis(listed(4, {}), 8 * gib), 1e-3);
  const Found expected = find(problem, "csr", on_host(2));
  const Problem whole(make_basis(listed(4, {}), 8 * gib));
  EXPECT_GT(std::abs(find(whole, "csr", on_host(1)).energies[0] - expected.energies[0]), 1e-9);
  with_processes(
      2, 1, [&](const Resources& resources) { EXPECT_TRUE(find(problem, "csr", resources) == expected); });
}

TEST(RankedMatrices, AreBuiltUntilSomebodyAsksToStop) {
  const Problem problem(make_basis(listed(4, {}), 8 * gib));
  std::stop_source stop;
  stop.request_stop();
  Plan plan = make_plan(problem, options_for("csr"), on_host(3));
  EXPECT_THROW(make_root_finder(problem, std::move(plan), {.stop = stop.get_token()}), Interrupted);
  double last = 0.0;
  const auto finder = make_root_finder(problem, make_plan(problem, options_for("csr"), on_host(3)),
                                       {.progress = [&](double done) { last = done; }});
  EXPECT_EQ(last, 1.0);
}

TEST(RankedMatrices, ArePlannedByTheRowsOfEach) {
  const Problem problem(make_basis(listed(4, {}), 8 * gib));
  const Plan one = make_plan(problem, options_for("csr"), on_host(1));
  const Plan four = make_plan(problem, options_for("csr"), on_host(4));
  const auto& stored = std::get<StoredPlan>(four);
  EXPECT_EQ(stored.placement.ranks, 4);
  ASSERT_EQ(stored.first_rows.size(), 5u);
  EXPECT_EQ(stored.first_rows.back(), problem.basis->size());
  EXPECT_TRUE(std::get<StoredPlan>(one).first_rows.empty());
  // Shares are alike, so that all of them take little more than the whole.
  EXPECT_GT(stored.placement.matrix_bytes, placement_of(one).matrix_bytes);
  EXPECT_LT(stored.placement.matrix_bytes, 2 * placement_of(one).matrix_bytes);
}

TEST(RankedMatrices, AreOnAsManyDevicesAsAreAskedFor) {
  const Problem problem(make_basis(listed(4, {}), 8 * gib));
  const auto planned = [&](int devices, int ranks, std::int64_t free, bool required) {
    const Plan plan =
        make_plan(problem, options_for("csr"),
                  {.memory = 8 * gib,
                   .devices = std::vector<Device>(static_cast<std::size_t>(devices), device_not_here(free)),
                   .device_required = required,
                   .ranks = ranks});
    return placement_of(plan);
  };
  const Placement two = planned(4, 2, 16 * gib, false);
  EXPECT_EQ(two.ranks, 2);
  EXPECT_EQ(two.ordinals.size(), 2u);
  EXPECT_TRUE(two.device.starts_with("2 x ")) << two.device;
  EXPECT_LT(two.matrix_bytes, planned(4, 1, 16 * gib, false).matrix_bytes);
  const Placement free = planned(4, 0, 16 * gib, false);
  EXPECT_EQ(free.ranks, 1);
  EXPECT_EQ(free.why_ranks, "more are not expected to be a tenth faster");
  const Placement on_host = planned(2, 2, gib / 1024, false);
  EXPECT_FALSE(on_host.on_device);
  EXPECT_EQ(on_host.ranks, 1);
  EXPECT_FALSE(on_host.why_not_device.empty());
  EXPECT_THROW(planned(2, 2, gib / 1024, true), DoesNotFit);
  EXPECT_THROW(planned(2, 3, 16 * gib, false), InputError);
}

}  // namespace test_ranked_matrix_finder
}  // namespace cisolve
