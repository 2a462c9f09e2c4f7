// SPDX-License-Identifier: MIT
// Variational Monte Carlo under fire: the real program killed at random moments and restarted gives the same bits.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"

namespace cisolve::test {
namespace test_vmc_run {

using Clock = std::chrono::steady_clock;

/// A second or two, half of them the optimisation; a checkpoint after each iteration and block.
const char* const job =
    "[lattice]\nkind = \"tilted\"\nsize = 3\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 8\n"
    "[vmc]\ndelta = 1.0\noptimise = [\"delta\"]\nchains = 32\nsweeps = 2000\nequilibration = 500\nblock = "
    "50\n"
    "[optimisation]\niterations = 25\nsweeps = 400\ntolerance = 1e-12\n"
    "[run]\ndevice = \"cpu\"\nthreads = 2\n[output]\ncheckpoint_interval = 0\n";

VmcResult result_in(const ScratchFolder& folder) { return read_vmc(folder.path() / "job.h5"); }

void expect_same(const VmcResult& found, const VmcResult& expected) {
  EXPECT_EQ(found.series, expected.series);
  EXPECT_EQ(found.equilibration_series, expected.equilibration_series);
  EXPECT_EQ(found.energy.value, expected.energy.value);
  EXPECT_EQ(found.energy.error, expected.energy.error);
  EXPECT_EQ(found.optimisation.parameters, expected.optimisation.parameters);
  EXPECT_EQ(found.optimisation.energy, expected.optimisation.energy);
  EXPECT_EQ(found.s_s.values, expected.s_s.values);
  EXPECT_EQ(found.counts, expected.counts);
  EXPECT_EQ(found.warnings, expected.warnings);
}

class VmcProgram : public testing::Test {
protected:
  static void SetUpTestSuite() {
    const ScratchFolder folder;
    folder.write("job.inp", job);
    const auto begin = Clock::now();
    const ProgramResult run = run_program({"job.inp"}, folder.path());
    duration = Clock::now() - begin;
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 2) << run.err;
    status = run.exit_code;
    whole = result_in(folder);
  }

  inline static Clock::duration duration;
  inline static VmcResult whole;
  inline static int status = 0;
};

/// Killed again and again, each time going on from the last checkpoint, until it ends.
TEST_F(VmcProgram, KilledAtRandomMoments) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> moment(0.05, 0.5);
#ifdef CISOLVE_SANITIZE
  constexpr int runs = 1;  // each takes ten times as long
#else
  constexpr int runs = 3;
#endif
  int restarts = 0;
  for (int k = 0; k < runs; ++k) {
    const ScratchFolder folder;
    folder.write("job.inp", job);
    ProgramResult result;
    for (int attempt = 0; attempt < 200; ++attempt) {
      const bool is_restart = std::filesystem::exists(folder.path() / "job.chk.h5");
      RunningProgram program(
          is_restart ? std::vector<std::string>{"job.inp", "--restart"} : std::vector<std::string>{"job.inp"},
          folder.path());
      restarts += is_restart ? 1 : 0;
      // The last attempts are let through: a busy machine may take longer than it did at first.
      if (attempt < 8) {
        std::this_thread::sleep_for(duration * moment(engine));
        program.send(SIGKILL);
      }
      result = program.wait();
      if (result.signal == 0) break;
    }
    ASSERT_EQ(result.exit_code, status) << result.err;
    expect_same(result_in(folder), whole);
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.h5", "job.inp"}));
  }
  EXPECT_GT(restarts, runs) << "no kill came while there was a checkpoint: nothing was tested";
}

TEST_F(VmcProgram, StoppedByASignal) {
  const ScratchFolder folder;
  folder.write("job.inp", job);
  RunningProgram program({"job.inp", "--set", "output.checkpoint_interval=1000"}, folder.path());
  for (int i = 0; i < 10000 && program.output().find("\n     3 ") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.send(SIGTERM);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "job.h5"));
  const ProgramResult run = run_program({"job.inp", "--restart", "--threads", "1"}, folder.path());
  EXPECT_EQ(run.exit_code, status) << run.err;
  expect_same(result_in(folder), whole);
}

TEST_F(VmcProgram, Sigusr1WritesACheckpointAndGoesOn) {
  const ScratchFolder folder;
  folder.write("job.inp", job);
  RunningProgram program({"job.inp", "--set", "output.checkpoint_interval=1000"}, folder.path());
  for (int i = 0; i < 10000 && program.output().find("\n     3 ") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.send(SIGUSR1);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, status) << result.err;
  EXPECT_NE(result.err.find("checkpoint written: job.chk.h5"), std::string::npos) << result.err;
  expect_same(result_in(folder), whole);
}

TEST_F(VmcProgram, ExitStatusAndErrors) {
  const ScratchFolder folder;
  folder.write("job.inp", job);
  expect_refused(run_program({"job.inp", "--restart"}, folder.path()),
                 {"neither the checkpoint", "job.chk.h5"});
  expect_refused(run_program({"job.inp", "--set", "vmc.delta=0"}, folder.path()), {"vmc.delta", "fermi-sea"});
  const ProgramResult large = run_program(
      {"job.inp", "--set", "vmc.chains=1000000", "--set", "run.memory=\"10 MiB\""}, folder.path());
  EXPECT_EQ(large.exit_code, 3) << large.err;
  EXPECT_NE(large.err.find("at most"), std::string::npos) << large.err;
  EXPECT_EQ(folder.files(), std::vector<std::string>{"job.inp"});
  const ProgramResult missed = run_program(
      {"job.inp", "--set", "optimisation.iterations=2", "--set", "vmc.sweeps=20", "--set", "vmc.chains=4"},
      folder.path());
  EXPECT_EQ(missed.exit_code, 2) << missed.err;
  EXPECT_EQ(run_program({"verify", "job.h5"}, folder.path()).exit_code, 0);
  const ProgramResult shown = run_program({"show", "job.h5"}, folder.path());
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_NE(shown.out.find("in units of t"), std::string::npos);
}

}  // namespace test_vmc_run
}  // namespace cisolve::test
