// SPDX-License-Identifier: MIT
// Jobs of mpirun in which a process fails, as who started them sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

namespace cisolve::test {
namespace test_mpi_job {

using testing::HasSubstr;

struct Ended {
  int status = -1;
  std::string text;  ///< of both streams
  double seconds = 0;
};

Ended run_command(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  FILE* pipe = popen(("timeout 60 " + command + " 2>&1").c_str(), "r");
  Ended ended;
  std::array<char, 4096> buffer;
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ended.text.append(buffer.data(), length);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return ended;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// With MPI or without: who was started together with others does not work alone.
TEST(MpiJob, ProgramOfAnotherLauncherRefuses) {
  for (const std::string variables : {"PMI_SIZE=2", "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1"}) {
    const Ended ended = run_command("env " + variables + " " CISOLVE_PROGRAM " --version");
    EXPECT_EQ(ended.status, 1);
    EXPECT_TRUE(ended.text.starts_with("cisolve: error: " + variables.substr(0, variables.find('=')) +
                                       " says that 2 processes were started together, but"))
        << ended.text;
    EXPECT_EQ(times(ended.text, "\n"), 1u) << ended.text;
  }
}

#ifdef CISOLVE_MPIEXEC

Ended run_job(int processes, const std::string& words) {
  return run_command(CISOLVE_MPIEXEC " " + std::to_string(processes) + " " + words);
}

TEST(MpiJob, EndsWithTheStatusOfItsError) {
  for (const char* where : {"start", "barrier", "sum", "broadcast", "end"}) {
    for (const int threads : {1, 3}) {
      const Ended ended =
          run_job(3, CISOLVE_MPI_JOB " " + std::string(where) + " " + std::to_string(threads) + " 3");
      EXPECT_EQ(ended.status, 3) << where << ": " << ended.text;
      EXPECT_EQ(times(ended.text, "mpi_job: rank " + std::to_string(3 * threads / 2) + " fails"), 1u)
          << ended.text;
      EXPECT_EQ(times(ended.text, "mpi_job: "), 1u) << ended.text;
      EXPECT_LT(ended.seconds, 10);
    }
  }
}

TEST(MpiJob, WithoutAFailureEndsWell) {
  const Ended ended = run_job(3, CISOLVE_MPI_JOB " nowhere 2 3");
  EXPECT_EQ(ended.status, 0) << ended.text;
  EXPECT_EQ(ended.text, "");
}

TEST(MpiJob, EndsWhereOneProcessHasGone) {
  for (const char* where : {"killed", "silent"}) {
    const Ended ended = run_job(3, CISOLVE_MPI_JOB " " + std::string(where) + " 1 4");
    EXPECT_NE(ended.status, 0) << ended.text;
    EXPECT_LT(ended.seconds, 10);
  }
}

TEST(MpiJob, EndsWhereAnExceptionDestroysASession) {
  const Ended ended = run_job(3, CISOLVE_MPI_JOB " past 1 4");
  EXPECT_EQ(ended.status, 1) << ended.text;
  EXPECT_LT(ended.seconds, 10);
}

TEST(MpiJob, ProgramHandsOnItsStatus) {
  const Ended ended = run_job(2, CISOLVE_PROGRAM " missing.inp");
  EXPECT_EQ(ended.status, 1) << ended.text;
  EXPECT_THAT(ended.text, HasSubstr("cisolve: error: "));
  const Ended well = run_job(2, CISOLVE_PROGRAM " --version");
  EXPECT_EQ(well.status, 0);
  EXPECT_EQ(times(well.text, "cisolve: "), 0u) << well.text;
}

TEST(MpiJob, ProgramWarnsOfCoresThatItMayNotUse) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
  const Ended ended = run_job(1, "--bind-to core " CISOLVE_PROGRAM " --version");
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.text, HasSubstr("cisolve: warning: mpirun binds this process to 1 of "));
}

#endif

}  // namespace test_mpi_job
}  // namespace cisolve::test
