// SPDX-License-Identifier: MIT
// Checkpoints under fire: the real program killed, stopped and restarted.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"

namespace cisolve::test {
namespace test_restart {

using Clock = std::chrono::steady_clock;

constexpr double same_energy = 1e-9;  // hartree
#ifdef CISOLVE_SANITIZE
constexpr int enough_kills = 2;  // that left a checkpoint; each takes ten times as long
#else
constexpr int enough_kills = 20;
#endif

/// CH2, 12,536 determinants, converged far enough to take some twenty iterations.
std::string job(const std::string& space = "excitation_level = \"full\"") {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA
         "/ch2_631g_fc.fcidump.gz\"\npoint_group = \"C2v\"\n"
         "[space]\n" +
         space +
         "\n[states]\ncount = 3\nirrep = \"A1\"\nms2 = 0\n"
         "[solver]\ntolerance = 1e-8\n[run]\ndevice = \"cpu\"\nthreads = 2\n[output]\ncheckpoint_interval = "
         "0\n";
}

/// Vectors that one block iteration of this job adds: an upper bound for what a restart may repeat.
int restarted_subspace(int num_roots) {
  const DavidsonConfig config{.num_roots = num_roots};
  const int basis = config.max_subspace > 0 ? config.max_subspace : default_subspace(num_roots);
  return (basis + num_roots - 1) / num_roots;
}

class Restart : public testing::Test {
protected:
  static void SetUpTestSuite() {
    const ScratchFolder folder;
    folder.write("job.inp", job());
    const auto begin = Clock::now();
    const ProgramResult run = run_program({"job.inp"}, folder.path());
    duration = Clock::now() - begin;
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const CiResult result = read_result(folder.path() / "job.h5", false);
    energies = result.column(&Root::energy);
    iterations = static_cast<int>(result.sectors[0].solver.history.size());
    ASSERT_GE(iterations, 8) << "too short a run to be interrupted";
  }

  /// Restarts in `folder` and compares with the uninterrupted run.
  static void expect_same_end(const ScratchFolder& folder) {
    const Checkpoint checkpoint = read_checkpoint(folder.path() / "job.chk.h5");
    const int done = checkpoint.header.history.back().iteration;
    const ProgramResult run = run_program({"job.inp", "--restart"}, folder.path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const CiResult result = read_result(folder.path() / "job.h5", false);
    ASSERT_EQ(result.roots.size(), energies.size());
    for (std::size_t k = 0; k < energies.size(); ++k) {
      EXPECT_NEAR(result.root(k).energy, energies[k], same_energy);
    }
    const int after = static_cast<int>(result.sectors[0].solver.history.size()) - done;
    EXPECT_LE(after, iterations - done + restarted_subspace(static_cast<int>(energies.size())));
  }

  static void wait_for_iteration(const RunningProgram& program, int iteration) {
    const std::string wanted =
        "\n" + std::string(6 - std::to_string(iteration).size(), ' ') + std::to_string(iteration) + " ";
    for (int i = 0; i < 60000 && program.output().find(wanted) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  inline static Clock::duration duration;
  inline static std::vector<double> energies;
  inline static int iterations = 0;
};

TEST_F(Restart, AfterKillsAtRandomMoments) {
  std::mt19937 engine(20);
  std::uniform_real_distribution<double> moment(0.0, 1.0);
  int with_checkpoint = 0;
  constexpr int most_kills = 20;
  for (int kill = 0; kill < most_kills && with_checkpoint < enough_kills; ++kill) {
    const ScratchFolder folder;
    folder.write("job.inp", job());
    RunningProgram program({"job.inp"}, folder.path());
    std::this_thread::sleep_for(duration * moment(engine));
    program.send(SIGKILL);
    program.wait();
    if (!std::filesystem::exists(folder.path() / "job.chk.h5")) continue;
    ++with_checkpoint;
    expect_same_end(folder);
  }
  EXPECT_GT(with_checkpoint, 0) << "no kill came while the solver ran: nothing was tested";
}

TEST_F(Restart, AfterSigterm) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  RunningProgram program({"job.inp"}, folder.path());
  wait_for_iteration(program, 3);
  program.send(SIGTERM);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 143) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "job.h5"));
  expect_same_end(folder);
}

TEST_F(Restart, AfterTheMostIterations) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  const ProgramResult run =
      run_program({"job.inp", "--set", "solver.max_iterations=4", "--set", "output.checkpoint_interval=300"},
                  folder.path());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_NE(run.out.find("--restart"), std::string::npos) << run.out;
  expect_same_end(folder);
}

TEST_F(Restart, Sigusr1WritesACheckpointAndGoesOn) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  RunningProgram program({"job.inp", "--set", "output.checkpoint_interval=1000"}, folder.path());
  wait_for_iteration(program, 3);
  program.send(SIGUSR1);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "job.h5"));
  EXPECT_NE(result.err.find("checkpoint written: job.chk.h5"), std::string::npos);
}

TEST_F(Restart, TakesMoreRootsATighterToleranceAndAnotherStorage) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  const ProgramResult run =
      run_program({"job.inp", "--restart", "--threads", "1", "--set", "states.count=4", "--set",
                   "solver.tolerance=1e-9", "--set", "hamiltonian.storage=hybrid"},
                  folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CiResult result = read_result(folder.path() / "job.h5", false);
  ASSERT_EQ(result.roots.size(), 4U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(result.root(k).energy, energies[k], same_energy);
  for (const double residual : result.column(&Root::residual_norm)) EXPECT_LE(residual, 1e-9);
  EXPECT_EQ(result.sectors[0].hamiltonian.storage, "hybrid");
}

TEST_F(Restart, WithMoreRootsFindsThemAll) {
  // Roots of other spins and irreps than the one the checkpoint knows, two of them degenerate.
  const ScratchFolder folder;
  folder.write("job.inp",
               "[integrals]\nfile = \"" CISOLVE_TEST_DATA
               "/n2_sto3g_stretched.fcidump\"\n"
               "[states]\nirrep = \"all\"\n[run]\ndevice = \"cpu\"\n[output]\ncheckpoint_interval = 0\n");
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_program({"job.inp", "--restart", "--set", "states.count=8"}, folder.path()).exit_code, 0);
  const CiResult restarted = read_result(folder.path() / "job.h5", false);
  ASSERT_EQ(run_program({"job.inp", "--set", "states.count=8", "-o", "fresh.h5"}, folder.path()).exit_code,
            0);
  const CiResult fresh = read_result(folder.path() / "fresh.h5", false);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(restarted.root(k).energy, fresh.root(k).energy, 1e-8) << k;
}

TEST_F(Restart, AFinishedRunLeavesNoCheckpoint) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "job.chk.h5"));
  const ProgramResult again = run_program({"job.inp", "--restart"}, folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("Taken from the result 'job.h5'"), std::string::npos) << again.out;
  const CiResult result = read_result(folder.path() / "job.h5", true);
  for (std::size_t k = 0; k < energies.size(); ++k) EXPECT_EQ(result.root(k).energy, energies[k]);
  expect_refused(run_program({"job.inp", "--restart", "--set", "space.excitation_level=2"}, folder.path()),
                 {"result 'job.h5' belongs to another space"});
  // A result can be named: of this run, or of another.
  std::filesystem::rename(folder.path() / "job.h5", folder.path() / "other.h5");
  const ProgramResult of_another = run_program({"job.inp", "--restart", "other.h5"}, folder.path());
  EXPECT_EQ(of_another.exit_code, 0) << of_another.err;
  EXPECT_NE(of_another.out.find("Taken from the result 'other.h5'"), std::string::npos) << of_another.out;
  expect_refused(run_program({"job.inp", "--restart", "absent.h5"}, folder.path()), {"absent.h5"});
  // Something else of that name is not the program's to remove.
  folder.write("notes.txt", "mine");
  ASSERT_EQ(run_program({"job.inp", "--set", "output.checkpoint=notes.txt", "--set",
                         "output.checkpoint_interval=1000"},
                        folder.path())
                .exit_code,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "notes.txt"));
}

TEST_F(Restart, GoesOnFromTheCheckpointBeforeADamagedOne) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  ASSERT_EQ(run_program({"job.inp", "--set", "solver.max_iterations=4"}, folder.path()).exit_code, 2);
  std::filesystem::resize_file(folder.path() / "job.chk.h5", 5000);
  const auto restarted =
      run_program({"job.inp", "--restart", "--set", "output.checkpoint_interval=1000"}, folder.path());
  EXPECT_EQ(restarted.exit_code, 0) << restarted.err;
  EXPECT_NE(restarted.err.find("going on from the one before"), std::string::npos) << restarted.err;
  // No checkpoint was due before the end; the next restart must find the results, not the damaged one.
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.h5", "job.inp"}));
}

TEST_F(Restart, RefusesAnotherJobAndSaysWhatDiffers) {
  const ScratchFolder folder;
  folder.write("job.inp", job());
  ASSERT_EQ(run_program({"job.inp", "--set", "solver.max_iterations=4"}, folder.path()).exit_code, 2);
  expect_refused(run_program({"job.inp", "--restart", "--set", "space.excitation_level=2"}, folder.path()),
                 {"space"});
  expect_refused(
      run_program({"job.inp", "--restart", "--set", "integrals.file=" CISOLVE_TEST_DATA "/h2o_sto3g.fcidump"},
                  folder.path()),
      {"integrals"});
  std::filesystem::resize_file(folder.path() / "job.chk.h5", 5000);
  std::filesystem::resize_file(folder.path() / "job.chk.h5.previous", 5000);
  expect_refused(run_program({"job.inp", "--restart"}, folder.path()), {"job.chk.h5", "job.chk.h5.previous"});
  std::filesystem::remove(folder.path() / "job.chk.h5");
  std::filesystem::remove(folder.path() / "job.chk.h5.previous");
  std::filesystem::remove(folder.path() / "job.h5");
  expect_refused(run_program({"job.inp", "--restart"}, folder.path()), {"job.chk.h5"});
}

}  // namespace test_restart
}  // namespace cisolve::test
