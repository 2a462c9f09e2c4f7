// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/run_program.hpp"

namespace cisolve::test {
namespace {

/// A job of many seconds, stopped once its report has begun.
ProgramResult interrupted_by(int signal) {
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                          "/h2o_631g.fcidump.gz\"\n"
                          "[space]\nexcitation_level = 5\n[run]\ndevice = \"cpu\"\n");
  RunningProgram program({"job.inp"}, folder.path());
  using namespace std::chrono_literals;
  for (int i = 0; i < 3000 && program.output().find("dimension") == std::string::npos; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  program.send(SIGUSR1);  // must not end it
  program.send(signal);
  return program.wait();
}

TEST(Signals, StopTheRunWithTheShellsStatus) {
  for (const auto& [signal, status] :
       {std::pair(SIGINT, 130), std::pair(SIGTERM, 143), std::pair(SIGHUP, 129), std::pair(SIGXCPU, 152),
        std::pair(SIGUSR2, 140)}) {
    const ProgramResult result = interrupted_by(signal);
    EXPECT_EQ(result.signal, 0) << "it was killed instead of ending by itself";
    EXPECT_EQ(result.exit_code, status) << result.err;
  }
}

}  // namespace
}  // namespace cisolve::test
