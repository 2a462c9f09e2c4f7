// SPDX-License-Identifier: MIT
// FLAPW with k-points by rank; ranks are threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stop_token>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "tasks/flapw_job.hpp"

namespace cisolve {
namespace test_flapw_ranks {

using test::FlapwJob;
using test::StoredPoint;

using DoWork = std::function<void(const SharedWork&, const WorkPlace&)>;

/// How the processes but the first come to their part.
struct Others {
  DoWork do_work = serve_task;
  std::function<Requests(int rank)> asked = [](int) { return Requests{}; };
};

/// job.run on the first of several, which the others serve.
RunOutcome run_on(int processes, FlapwJob& job, const RunOptions& options = {}, RunControl control = {},
                  const Others& others = {}) {
  RunOutcome outcome = RunOutcome::not_converged;
  run_ranks(processes, [&](const Communicator& all) {
    if (all.rank() > 0) {
      return serve_ranks(
          all, {.take_requests = [&] { return others.asked(all.rank()); }, .do_work = others.do_work});
    }
    const ServedRanks served(all, {});
    control.served = &served;
    outcome = job.run(options, control);
  });
  return outcome;
}

/// With which the tests take a second, and a few under the sanitizers.
const std::vector<std::string> small = {"crystal.k_max=2", "flapw.roots=4", "output.matrices=true"};

std::string five_points() {
  return test::empty_lattice(
      0.2,
      "[k_points]\nlist = [[0.1, 0.23, 0.37], [0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0.1], [0.2, 0.1, 0]]\n");
}

void expect_same(const FlapwJob& a, const FlapwJob& b) {
  const FlapwResult first = a.result(), second = b.result();
  ASSERT_EQ(first.points.size(), second.points.size());
  EXPECT_EQ(std::multiset(first.warnings.begin(), first.warnings.end()),
            std::multiset(second.warnings.begin(), second.warnings.end()));
  for (int k = 1; k <= std::ssize(first.points); ++k) {
    const FlapwPoint &x = first.points[k - 1], &y = second.points[k - 1];
    EXPECT_EQ(x.status, y.status);
    EXPECT_EQ(x.k.k, y.k.k);
    EXPECT_EQ(x.g, y.g);
    EXPECT_EQ(x.blocks, y.blocks);
    EXPECT_EQ(x.hpd_atoms, y.hpd_atoms);
    EXPECT_EQ(x.checked, y.checked);
    EXPECT_EQ(x.lines.size(), y.lines.size());
    EXPECT_EQ(x.states.overlap.lowest, y.states.overlap.lowest);
    test::expect_same(StoredPoint(a.file(), k), StoredPoint(b.file(), k));
  }
}

TEST(FlapwRanks, AnyNumberOfProcessesFindsTheSame) {
  FlapwJob alone(five_points(), small);
  ASSERT_EQ(alone.run(), RunOutcome::converged);
  for (const int processes : {1, 2, 3, 5, 7}) {
    SCOPED_TRACE(processes);
    FlapwJob job(five_points(), small);
    RunControl control;
    control.verbose = true;
    EXPECT_EQ(run_on(processes, job, {}, control), RunOutcome::converged);
    expect_same(job, alone);
    const std::string report = job.report();
    for (int k = 1; k <= 5; ++k)
      EXPECT_NE(report.find("k-point " + std::to_string(k) + " of 5"), report.npos);
    EXPECT_EQ(report.find("in each of") != report.npos, processes > 1);
  }
}

TEST(FlapwRanks, OnePointIsDoneByTheFirst) {
  FlapwJob job(test::empty_lattice(0.2, "[k_points]\nlist = [[0.1, 0.23, 0.37]]\n"), small);
  std::string log;
  RunControl control;
  control.log = [&](LogLevel level, std::string_view line) {
    if (level == LogLevel::warning) log += line;
  };
  EXPECT_EQ(run_on(3, job, {}, control), RunOutcome::converged);
  EXPECT_THAT(log, testing::HasSubstr("there is one to do: 2 of 3 processes have nothing to do"));
}

// Whether one k-point is left or several.
TEST(FlapwRanks, SeveralGpusOfEachAreRefused) {
  for (const char* points : {"list = [[0.1, 0.23, 0.37]]\n", "grid = [2, 1, 1]\n"}) {
    FlapwJob job(test::empty_lattice(0.2, std::string("[k_points]\n") + points), {"run.gpus=2"});
    EXPECT_THAT([&] { run_on(2, job); },
                testing::ThrowsMessage<InputError>(testing::HasSubstr(
                    "run.gpus: 2 were asked for, but of several processes with [flapw] each takes one")));
  }
}

TEST(FlapwRanks, NoStatesAndAllStates) {
  for (const char* roots : {"flapw.roots=0", "flapw.roots=\"all\""}) {
    std::vector<std::string> assignments = small;
    assignments.emplace_back(roots);
    FlapwJob alone(five_points(), assignments), job(five_points(), assignments);
    ASSERT_EQ(alone.run(), RunOutcome::converged);
    EXPECT_EQ(run_on(2, job), RunOutcome::converged);
    expect_same(job, alone);
  }
}

TEST(FlapwRanks, WhatIsStoppedGoesOnWithAnotherNumber) {
  FlapwJob alone(five_points(), small);
  ASSERT_EQ(alone.run(), RunOutcome::converged);
  FlapwJob job(five_points(), small);
  std::stop_source source;
  RunControl control;
  control.stop = source.get_token();
  control.observe = [&](const RunEvent& event) {
    if (event.stage == "solve") source.request_stop();
  };
  ASSERT_EQ(run_on(2, job, {}, control), RunOutcome::interrupted);
  const FlapwResult half = job.result();
  EXPECT_TRUE(half.points[0].is_done() && half.points[1].is_done());
  EXPECT_FALSE(half.points[2].is_done());
  EXPECT_EQ(run_on(3, job, {.restart = true}), RunOutcome::converged);
  expect_same(job, alone);
}

TEST(FlapwRanks, AStopWaitsForTheTurn) {
  FlapwJob job(five_points(), small);
  std::stop_source source;
  RunControl control;
  control.stop = source.get_token();
  control.observe = [&](const RunEvent& event) {
    if (event.stage == "hamiltonian") source.request_stop();
  };
  ASSERT_EQ(run_on(3, job, {}, control), RunOutcome::interrupted);
  const FlapwResult found = job.result();
  for (std::size_t k = 0; k < found.points.size(); ++k) EXPECT_EQ(found.points[k].is_done(), k < 3);
  EXPECT_EQ(run_on(2, job, {.restart = true}), RunOutcome::converged);
  FlapwJob alone(five_points(), small);
  ASSERT_EQ(alone.run(), RunOutcome::converged);
  expect_same(job, alone);
}

TEST(FlapwRanks, AProcessIsHeard) {
  FlapwJob job(five_points(), small);
  std::stop_source source;
  RunControl control;
  control.stop = source.get_token();
  control.hear = [&](const Requests& requests) {
    if (requests.stop_signal != 0) source.request_stop();
  };
  Others others;
  others.asked = [](int rank) { return Requests{.stop_signal = rank == 1 ? 15 : 0}; };
  EXPECT_EQ(run_on(2, job, {}, control, others), RunOutcome::interrupted);
  EXPECT_TRUE(job.result().points[1].is_done());
  EXPECT_FALSE(job.result().points[2].is_done());
}

TEST(FlapwRanks, AnErrorOfAnyProcessEndsAll) {
  FlapwJob job(five_points(), small);
  Others others;
  others.do_work = [](const SharedWork& work, const WorkPlace& place) {
    if (place.processes.rank() == 2) throw SystemError("no more");
    serve_task(work, place);
  };
  EXPECT_THAT([&] { run_on(3, job, {}, {}, others); },
              testing::ThrowsMessage<SystemError>(testing::HasSubstr("no more")));
  RunControl control;
  control.observe = [](const RunEvent& event) {
    if (event.stage == "solve") throw SystemError("not here");
  };
  EXPECT_THAT([&] { run_on(3, job, {}, control); },
              testing::ThrowsMessage<SystemError>(testing::HasSubstr("not here")));
}

TEST(FlapwRanks, WorkOfNoTaskIsRefused) {
  EXPECT_THROW(run_ranks(2,
                         [](const Communicator& all) {
                           if (all.rank() > 0) return serve_ranks(all, {.do_work = serve_task});
                           const ServedRanks served(all, {});
                           served.begin({.task = "ci", .arguments = {}}).barrier();
                         }),
               SystemError);
}

}  // namespace test_flapw_ranks
}  // namespace cisolve
