// SPDX-License-Identifier: MIT
// Root finders whose ranks are those of several processes, for which threads stand here: what as many ranks of one process
// find, they find.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/problem/serve_ranks.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "problem/ranked/orders.hpp"
#include "problem/small_problems.hpp"

namespace cisolve {
namespace test_serve_ranks {

using namespace test;

using Work = std::function<void(const ServedRanks&)>;

/// work(the others) on the first of several processes, which the others serve.
void with_served(int processes, const Work& work, const std::function<Requests(int process)>& asked = {}) {
  run_ranks(processes, [&](const Communicator& all) {
    if (all.rank() > 0) {
      ServeConfig config;
      if (asked) config.take_requests = [&] { return asked(all.rank()); };
      return serve_ranks(all, config);
    }
    const ServedRanks served(all, {});
    work(served);
  });
}

Resources ranks_here(int ranks) { return {.memory = 8 * gib, .devices = {}, .ranks = ranks}; }

Resources ranks_of(const ServedRanks& served, int each) { return served.resources(ranks_here(each), true); }

Problem make_problem(const Kind& kind) { return Problem(make_basis(definition(kind), 8 * gib)); }

std::unique_ptr<RootFinder> make_finder(const Problem& problem, const Resources& resources) {
  PlanOptions options;
  options.storage = "direct";
  options.solver.num_roots = 2;
  options.solver.tolerance = 1e-8;
  return make_root_finder(problem, make_plan(problem, options, resources));
}

/// Everything that a search gives.
struct Found {
  std::vector<double> energies, vectors;

  bool operator==(const Found&) const = default;
};

Found found_in(const Roots& roots) {
  Array<double> buffer;
  const auto vectors = roots.vectors->view(0, roots.vectors->columns(), buffer);
  return {roots.energies, {vectors.begin(), vectors.end()}};
}

Found find(const Problem& problem, const Resources& resources) {
  return found_in(make_finder(problem, resources)->solve({}));
}

/// To 1e-12 of itself: what convergence leaves, residual^2 / gap, is the same; the rest is the rounding of other sums.
void expect_same_energies(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-12 * std::abs(expected[k]));
}

struct Case {
  Kind kind;
  int processes, each;
};

class ServedRootFinders : public testing::TestWithParam<Case> {
protected:
  void with_resources(const std::function<void(const Resources&)>& work) const {
    with_served(GetParam().processes,
                [&](const ServedRanks& served) { work(ranks_of(served, GetParam().each)); });
  }

  int ranks() const { return GetParam().processes * GetParam().each; }

  const ThreadScope one_thread_{
      1};  // model spaces are diagonalised by as many as there are, which shows in the last bits
  const Problem problem_ = make_problem(GetParam().kind);
};

TEST_P(ServedRootFinders, FindWhatRanksOfOneProcessFind) {
  const Found of_one = find(problem_, ranks_here(1)), of_threads = find(problem_, ranks_here(ranks()));
  with_resources([&](const Resources& resources) {
    const auto finder = make_finder(problem_, resources);
    EXPECT_EQ(finder->hamiltonian().ranks, ranks());
    const Found served = found_in(finder->solve({}));
    expect_same_energies(served.energies, of_one.energies);
    EXPECT_TRUE(served == of_threads);  // to the last bit
  });
}

TEST_P(ServedRootFinders, MakeTheProductsOfThese) {
  const auto n = static_cast<std::size_t>(problem_.basis->size());
  std::vector<double> x(2 * n), expected(2 * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i % 1009));
  const std::vector<std::int64_t> rows{0, problem_.basis->size() / 2, problem_.basis->size() - 1};
  const std::vector<double> coefficients{0.8, -0.36, 0.48}, energies{-1.0, 2.0};
  const auto threads = make_finder(problem_, ranks_here(ranks()));
  threads->apply(x, expected);
  with_resources([&](const Resources& resources) {
    const auto finder = make_finder(problem_, resources);
    std::vector<double> y(2 * n);
    finder->apply(x, y);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(finder->expectation(rows, coefficients), threads->expectation(rows, coefficients));
    EXPECT_EQ(finder->residual_norms(x, energies), threads->residual_norms(x, energies));
    EXPECT_THROW(finder->apply(std::span(x).first(n - 1), std::span(y).first(n - 1)), DimensionError);
    finder->apply(x, y);  // the others have not heard of that
    EXPECT_EQ(y, expected);
  });
}

TEST_P(ServedRootFinders, GoOnFromWhatAnObserverRead) {
  const Found expected = find(problem_, ranks_here(1));
  std::vector<double> left;
  Search again;
  again.continues = true;
  with_resources([&](const Resources& resources) {
    Search search;
    search.observer = [&](const SearchState& state) {
      if (state.record.iteration < 2) return SolverAction::proceed;
      const auto columns = state.restart_vectors();
      const auto n = static_cast<std::size_t>(columns->rows());
      left.resize(n * static_cast<std::size_t>(columns->columns()));
      for (int k = 0; k < columns->columns(); ++k) {
        const auto column = std::span(left).subspan(static_cast<std::size_t>(k) * n, n);
        columns->read(k, 0, column.first(n / 3));
        columns->read(k, static_cast<std::int64_t>(n / 3), column.subspan(n / 3));
      }
      again.history = state.history;
      return SolverAction::stop;
    };
    const auto finder = make_finder(problem_, resources);
    EXPECT_EQ(finder->solve(search).status, SolverStatus::interrupted);
    again.start = seen_vectors(left, finder->hamiltonian().rows);
    expect_same_energies(finder->solve(again).energies, expected.energies);
  });
  expect_same_energies(make_finder(problem_, ranks_here(1))->solve(again).energies, expected.energies);
}

/// Where the finder is gone: every process has its rows, and nobody the whole.
TEST_P(ServedRootFinders, KeepWhatTheyFound) {
  const auto n = static_cast<std::size_t>(problem_.basis->size());
  with_resources([&](const Resources& resources) {
    std::shared_ptr<const VectorSource> all, second;
    Found found;
    {
      const auto finder = make_finder(problem_, resources);
      const Roots roots = finder->solve({});
      found = found_in(roots);
      all = finder->keep(roots.vectors);
      second = finder->keep(std::make_shared<ChosenVectors>(roots.vectors, std::vector<int>{1}));
    }
    const SeenVectors expected(found.vectors, problem_.basis->size(), 2);
    Array<double> buffer;
    EXPECT_TRUE(std::ranges::equal(all->view(0, 2, buffer), found.vectors));
    EXPECT_TRUE(std::ranges::equal(second->view(0, 1, buffer), std::span(found.vectors).subspan(n)));
    EXPECT_TRUE(std::ranges::equal(all->piece(1, static_cast<std::int64_t>(n / 3), 5, buffer),
                                   std::span(found.vectors).subspan(n + n / 3, 5)));
    EXPECT_EQ(all->heaviest(0, 9), expected.heaviest(0, 9));
    EXPECT_EQ(second->heaviest(0, 9), expected.heaviest(1, 9));
    const std::vector<std::int64_t> rows{std::ssize(found.vectors) / 2 - 1, 0, 3, 0};
    std::vector<double> elements(rows.size()), of_whole(rows.size());
    second->gather(0, rows, elements);
    expected.gather(1, rows, of_whole);
    EXPECT_EQ(elements, of_whole);
    const Matrix overlaps = all->overlaps();
    for (const auto& [j, k] : {std::pair{0, 0}, {0, 1}, {1, 1}})
      EXPECT_NEAR(overlaps(j, k), expected.overlaps()(j, k), 1e-14);
    all.reset();
    EXPECT_EQ(second->heaviest(0, 1), expected.heaviest(1, 1));  // which is still there
  });
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kind& kind : kinds) {
    for (const auto& [processes, each] : {std::pair{2, 1}, {3, 1}, {4, 1}, {2, 2}, {3, 2}})
      all.push_back({kind, processes, each});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Problems, ServedRootFinders, testing::ValuesIn(cases()), [](const auto& one) {
  return std::string(one.param.kind.name) + "On" + std::to_string(one.param.processes) + "x" +
         std::to_string(one.param.each);
});

TEST(ServedRanks, MayHaveSeveralFindersAtOnce) {
  const ThreadScope one_thread(1);
  const Problem first = make_problem(kinds[1]), second = make_problem(kinds[3]);
  const Found of_first = find(first, ranks_here(4)), of_second = find(second, ranks_here(4));
  with_served(2, [&](const ServedRanks& served) {
    auto one = make_finder(first, ranks_of(served, 2));
    auto other = make_finder(second, ranks_of(served, 2));
    const Roots other_roots = other->solve({}), roots = one->solve({});
    one->solve({});  // of which nothing is kept
    one.reset();
    other.reset();
    EXPECT_TRUE(found_in(roots) == of_first);  // vectors outlive their finder
    EXPECT_TRUE(found_in(other_roots) == of_second);
  });
}

TEST(ServedRanks, DoOneProblemAfterAnother) {
  const ThreadScope one_thread(1);
  with_served(3, [&](const ServedRanks& served) {
    for (const int k : {1, 2, 1}) {  // sectors
      const Problem problem = make_problem(kinds[k]);
      EXPECT_TRUE(find(problem, ranks_of(served, 1)) == find(problem, ranks_here(3)));
    }
    const Problem given = make_problem(kinds[3]);
    for (const double factor : {1.0, 1.01, 1.02}) {  // points of a scan
      Integrals integrals = *given.basis->definition().integrals;
      for (double& element : integrals.one) element *= factor;
      const Problem point(given.basis->over(std::make_shared<const Integrals>(std::move(integrals))));
      EXPECT_TRUE(find(point, ranks_of(served, 1)) == find(point, ranks_here(3)));
    }
  });
}

TEST(ServedRanks, AreKeptToASpinAndProbeForMissedRoots) {
  const ThreadScope one_thread(1);
  const Problem spins = make_problem(kinds[4]), all = make_problem(kinds[0]);
  PlanOptions options;
  options.storage = "direct";
  options.solver.num_roots = 3;
  const auto work = [&](const Resources& resources) {
    Plan plan = make_plan(spins, options, resources);
    std::get<DirectPlan>(plan).keeps_spin = false;
    const auto late = make_root_finder(spins, std::move(plan));
    late->project_on_spin();
    Found result = found_in(late->solve({}));
    const auto finder = make_root_finder(all, make_plan(all, options, resources));
    const Found roots = found_in(finder->solve({}));
    std::vector<double> below;
    const std::size_t n = static_cast<std::size_t>(all.basis->size());
    finder->probe(std::span(roots.vectors).subspan(n), roots.energies[1], roots.energies[2], 100, below);
    EXPECT_EQ(below.size(), n);
    result.vectors.insert(result.vectors.end(), below.begin(), below.end());
    return result;
  };
  const Found expected = work(ranks_here(4));
  with_served(2, [&](const ServedRanks& served) { EXPECT_TRUE(work(ranks_of(served, 2)) == expected); });
}

TEST(ServedRanks, AreToldWhatOthersWereAskedFor) {
  const Problem problem = make_problem(kinds[1]);
  std::atomic<int> taken = 0;
  const auto asked = [&](int process) -> Requests {
    ++taken;
    if (process == 1) return {.checkpoint = taken < 3 ? 1 : 0};
    return {.stop_signal = taken > 6 ? 15 : 0};
  };
  int checkpoints = 0;
  const auto work = [&](const ServedRanks& served) {
    Search search;
    search.observer = [&](const SearchState& state) {
      checkpoints += state.requests.checkpoint;
      return state.requests.stop_signal == 15 ? SolverAction::stop : SolverAction::proceed;
    };
    EXPECT_EQ(make_finder(problem, ranks_of(served, 2))->solve(search).status, SolverStatus::interrupted);
  };
  with_served(3, work, asked);
  EXPECT_EQ(checkpoints, 1);
  EXPECT_EQ(taken, 8);  // in four iterations: not more often, and by no more ranks
}

TEST(ServedRanks, EndWithTheErrorOfAnyRank) {
  const Problem problem = make_problem(kinds[1]);
  const auto solve = [&](const ServedRanks& served) {
    const auto finder = make_finder(problem, ranks_of(served, 2));
    Search search;
    search.observer = [](const SearchState&) { return SolverAction::proceed; };
    finder->solve(search);
  };
  const auto failing = [](int process) -> Requests {
    if (process == 2) throw ResourceError("there is no room");
    return {};
  };
  EXPECT_THROW(with_served(3, solve, failing), ResourceError);
}

TEST(ServedRanks, EndWithTheErrorOfAnObserver) {
  const Problem problem = make_problem(kinds[1]);
  const auto work = [&](const ServedRanks& served) {
    const auto other = make_finder(problem, ranks_of(served, 1)),
               finder = make_finder(problem, ranks_of(served, 1));
    const Roots found = finder->solve({});
    const auto kept = finder->keep(found.vectors);
    Search search;
    search.observer = test::fail_to_write;
    finder->solve(search);
  };
  try {
    with_served(3, work);
    FAIL() << "nothing was thrown";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
}

TEST(ServedRanks, RefuseOtherFunctions) {
  const Problem problem = make_problem(kinds[3]);
  try {
    run_ranks(2, [&](const Communicator& all) {
      if (all.rank() == 1) return serve_ranks(all, {});
      MakeOrder make;
      make.planned.basis = {.definition = problem.basis->definition(), .hash = 1};
      OrderGiver{&all}(make, 1);
      all.barrier();
    });
    FAIL() << "nothing was thrown";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(),
                 "this process comes to other functions than the first; are they the same program?");
  }
}

TEST(ServedRanks, TakeTheirPartOfTheMemory) {
  run_ranks(2, [](const Communicator& all) {
    if (all.rank() == 1) return serve_ranks(all, {.node = {.rank = 1, .processes = 2}});
    const ServedRanks served(all, {.rank = 0, .processes = 2});
    EXPECT_EQ(served.others(), 1);
    const Resources given = served.resources({.memory = gib, .devices = {}}, true);
    EXPECT_EQ(given.memory, gib);
    EXPECT_EQ(given.processes, &all);
    // What is free changes meanwhile; not by a tenth.
    const double share =
        static_cast<double>(served.resources({.memory = 64 * gib, .devices = {}}, false).memory);
    EXPECT_NEAR(share / static_cast<double>(usual_memory()), 0.5, 0.05);
  });
}

}  // namespace test_serve_ranks
}  // namespace cisolve
