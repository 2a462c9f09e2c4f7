// SPDX-License-Identifier: MIT
// FLAPW by several processes of mpirun, which share the k-points.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "app/mpi_program.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "tasks/flapw_job.hpp"

#ifdef CISOLVE_MPIEXEC

namespace cisolve::test {
namespace test_mpi_flapw {

TEST(MpiFlapw, SharesKPoints) {
  const std::string text =
      "[flapw]\nfile = \"k.h5\"\n[output]\nmatrices = true\n[run]\ndevice = \"cpu\"\nthreads = 1\n";
  const auto prepare = [&](const ScratchFolder& folder) {
    std::filesystem::create_directory(folder.path() / "jobs");
    std::filesystem::copy_file(CISOLVE_TEST_DATA "/flapw/three_k.h5", folder.path() / "jobs/k.h5");
    folder.write("jobs/al.inp", text);
  };
  const std::vector<std::string> job = {"jobs/al.inp", "--set", "output.file=\"job.h5\""};
  const ScratchFolder one;
  prepare(one);
  ASSERT_EQ(run_program(job, one.path()).exit_code, 0);
  const FlapwResult expected = read_flapw(one.path() / "job.h5");
  ASSERT_EQ(expected.points.size(), 3u);
  for (const int processes : {2, 3, 4}) {
    const ScratchFolder several;
    prepare(several);
    const ProgramResult run = run_on(processes, job, several);
    expect_status(run, 0);
    expect_one_report(run);
    EXPECT_EQ(times(run.out, "in each of " + std::to_string(processes) + " processes"), 1u) << run.out;
    EXPECT_EQ(times(run.err, "1 of 4 processes have nothing to do"), processes == 4 ? 1u : 0u) << run.err;
    const FlapwResult found = read_flapw(several.path() / "job.h5");
    ASSERT_EQ(found.points.size(), expected.points.size());
    for (std::size_t k = 0; k < expected.points.size(); ++k)
      EXPECT_EQ(found.points[k].states.energies, expected.points[k].states.energies);
    EXPECT_EQ(run_program({"verify", "job.h5"}, several.path()).exit_code, 0);
    const ProgramResult check = run_on(processes, {"jobs/al.inp", "--check"}, several);
    expect_status(check, 0);
    EXPECT_EQ(times(check.out, std::to_string(processes) + ", a k-point each at a time"), 1u) << check.out;
  }
}

TEST(MpiFlapw, RefusesAFileThatOneProcessCannotRead) {
  const ScratchFolder folder;
  std::filesystem::copy_file(CISOLVE_TEST_DATA "/flapw/three_k.h5", folder.path() / "k.h5");
  std::filesystem::create_directory(folder.path() / "elsewhere");
  folder.write("job.inp", "[flapw]\nfile = \"k.h5\"\n[run]\ndevice = \"cpu\"\nthreads = 1\n");
  std::vector<std::string> words = mpirun(1);
  words.insert(words.end(), {CISOLVE_PROGRAM, "job.inp", ":", CISOLVE_MPIEXEC_NUMBER, "1", "/bin/sh", "-c",
                             "cd elsewhere; exec \"$0\" \"$@\""});
  const ProgramResult run = RunningProgram({"job.inp"}, folder.path(), words).wait();
  expect_status(run, 1);
  EXPECT_EQ(said("error", run).size(), 1u) << run.err;
  EXPECT_NE(run.err.find("rank 1: "), std::string::npos) << run.err;

  std::filesystem::copy_file(CISOLVE_TEST_DATA "/flapw/none_hpd.h5", folder.path() / "elsewhere/k.h5");
  const ProgramResult other = RunningProgram({"job.inp"}, folder.path(), words).wait();
  expect_status(other, 1);
  EXPECT_EQ(said("error", other).size(), 1u) << other.err;
  EXPECT_NE(other.err.find("rank 1: flapw.file: 'k.h5' has another content here"), std::string::npos)
      << other.err;
}

TEST(MpiFlapw, StopsAfterTheTurnAndGoesOn) {
  const ScratchFolder folder;
  folder.write(
      "job.inp",
      cosine_crystal("[k_points]\npath = { points = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]], segments = 19 }\n") +
          "[run]\ndevice = \"cpu\"\nthreads = 1\n");
  RunningProgram program({"job.inp"}, folder.path(), mpirun(2));
  for (int i = 0; i < 30000 && program.output().find("\n    1  ") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.send(SIGUSR2);
  expect_status(program.wait(), 143);
  const FlapwResult part = read_flapw(folder.path() / "job.h5");
  const auto done = std::ranges::count_if(part.points, &FlapwPoint::is_done);
  EXPECT_GE(done, 2);
  EXPECT_LT(done, 20);
  EXPECT_EQ(done % 2, 0);  // whole turns
  expect_status(run_on(3, {"job.inp", "--restart"}, folder), 0);
  for (const FlapwPoint& point : read_flapw(folder.path() / "job.h5").points)
    EXPECT_EQ(point.status, "converged");
}

}  // namespace test_mpi_flapw
}  // namespace cisolve::test

#endif
