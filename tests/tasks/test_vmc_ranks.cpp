// SPDX-License-Identifier: MIT
// Variational Monte Carlo with chains by rank; ranks are threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/lattice_job.hpp"

namespace cisolve {
namespace test_vmc_ranks {

using test::LatticeJob;

constexpr const char* input =
    "[lattice]\nkind = \"tilted\"\nsize = 3\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 8\n"
    "[vmc]\ndelta = 1.5\nchains = 6\nsweeps = 60\nequilibration = 30\nblock = 20\n";
const std::vector<std::string> optimising = {"vmc.optimise=[\"delta\", \"jastrow\"]", "vmc.jastrow=[0.1]",
                                             "vmc.spin_jastrow=[-0.2]", "optimisation.sweeps=20",
                                             "optimisation.iterations=3"};

/// job.run on the first of several, which the others serve.
RunOutcome run_on(int processes, LatticeJob& job, const RunOptions& options = {}, RunControl control = {}) {
  RunOutcome outcome = RunOutcome::not_converged;
  run_ranks(processes, [&](const Communicator& all) {
    if (all.rank() > 0) return serve_ranks(all, {.do_work = serve_task});
    const ServedRanks served(all, {});
    control.served = &served;
    outcome = job.run(options, control);
  });
  return outcome;
}

void expect_same(const LatticeJob& a, const LatticeJob& b) {
  const VmcResult first = read_vmc(a.file()), second = read_vmc(b.file());
  EXPECT_EQ(first.series, second.series);
  EXPECT_EQ(first.energy.value, second.energy.value);
  EXPECT_EQ(first.energy.error, second.energy.error);
  EXPECT_EQ(first.s_s.values, second.s_s.values);
  EXPECT_EQ(first.s_s.errors, second.s_s.errors);
  EXPECT_EQ(first.counts, second.counts);
  EXPECT_EQ(first.optimisation.parameters, second.optimisation.parameters);
  EXPECT_EQ(first.steps, second.steps);
}

/// More processes than chains, too, and numbers that don't divide.
TEST(VmcRanks, AnyNumberOfProcessesFindsTheSame) {
  LatticeJob alone(input), optimised(input, optimising);
  ASSERT_EQ(alone.run(), RunOutcome::converged);
  ASSERT_EQ(optimised.run(), RunOutcome::not_converged);
  for (const int processes : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(processes);
    LatticeJob job(input), other(input, optimising);
    EXPECT_EQ(run_on(processes, job), RunOutcome::converged);
    expect_same(job, alone);
    EXPECT_EQ(run_on(processes, other), RunOutcome::not_converged);
    expect_same(other, optimised);
    EXPECT_EQ(job.report().find("in each of") != std::string::npos, processes > 1);
  }
}

/// A run of some processes that was stopped goes on with others.
TEST(VmcRanks, RestartWithOtherNumbers) {
  LatticeJob alone(input);
  ASSERT_EQ(alone.run(), RunOutcome::converged);
  for (const int processes : {1, 4}) {
    LatticeJob job(input);
    std::stop_source stop;
    stop.request_stop();
    RunControl control;
    control.stop = stop.get_token();
    EXPECT_EQ(run_on(3, job, {}, control), RunOutcome::interrupted);
    EXPECT_EQ(run_on(processes, job, {.restart = true, .extend = false, .checkpoint = std::nullopt}),
              RunOutcome::converged);
    expect_same(job, alone);
  }
}

TEST(VmcRanks, OneDeviceForEachProcess) {
  LatticeJob job(input, {"run.device=auto", "run.gpus=2"});
  try {
    run_on(2, job);
    FAIL() << "was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("run.gpus"));
  }
}

}  // namespace test_vmc_ranks
}  // namespace cisolve
