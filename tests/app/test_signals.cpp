// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "app/run_program.hpp"
#include "app/signals.hpp"

namespace cisolve::test {
namespace test_signals {

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
        std::pair(SIGUSR2, 143)}) {
    const ProgramResult result = interrupted_by(signal);
    EXPECT_EQ(result.signal, 0) << "it was killed instead of ending by itself";
    EXPECT_EQ(result.exit_code, status) << result.err;
  }
}

/// Whether something comes true within seconds.
template <class What>
bool comes(const What& what) {
  using namespace std::chrono_literals;
  for (int k = 0; k < 1000 && !what(); ++k) std::this_thread::sleep_for(5ms);
  return what();
}

TEST(Signals, AreRequestsForOtherProcessesToo) {
  app::SignalWatcher here;
  EXPECT_EQ(here.take_requests(), Requests{});
  here.hear({.checkpoint = 1});
  EXPECT_FALSE(here.stop_token().stop_requested());
  here.hear({.stop_signal = SIGTERM});
  EXPECT_TRUE(here.stop_token().stop_requested());
  here.hear({.stop_signal = SIGINT});
  EXPECT_EQ(here.stop_signal(), SIGTERM);  // the first
  EXPECT_EQ(here.take_requests(), (Requests{.checkpoint = 1, .stop_signal = SIGTERM}));
  EXPECT_EQ(here.take_requests(), Requests{.stop_signal = SIGTERM});
}

/// A thread that was there before: it has not the mask that others inherit, as those of a GPU's driver.
TEST(Signals, AreHeardWhereAThreadDoesNotBlockThem) {
  std::atomic<bool> done = false;
  std::thread stranger([&] { done.wait(false); });
  {
    app::SignalWatcher watcher;
    pthread_kill(stranger.native_handle(), SIGUSR1);
    bool asked = false;
    EXPECT_TRUE(comes([&] { return asked = asked || watcher.take_checkpoint_request(); }));
    EXPECT_FALSE(watcher.stop_token().stop_requested());
    pthread_kill(stranger.native_handle(), SIGTERM);
    EXPECT_TRUE(comes([&] { return watcher.stop_token().stop_requested(); }));
    EXPECT_EQ(watcher.stop_signal(), SIGTERM);
  }
  struct sigaction after = {};
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, SIG_DFL);
  done = true;
  done.notify_all();
  stranger.join();
}

}  // namespace test_signals
}  // namespace cisolve::test
