// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>
#include <vector>

#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve::app {

/// Turns signals into requests while it lives: SIGINT and SIGTERM ask to stop, SIGUSR1 asks for a
/// checkpoint, a second SIGINT kills at once. SIGHUP (a terminal or connection is closed), SIGXCPU and SIGUSR2 (what
/// batch systems send ahead of a kill) ask to stop as well, unless they are ignored when the program starts (nohup);
/// SIGUSR2, which mpirun passes on, as SIGTERM does.
///
/// The signals are blocked in all threads and taken by one of its own, so that nothing here has to be
/// async-signal-safe, and stop callbacks may do what they like. Construct it before other threads are
/// started: they inherit the mask. Threads that have another mask all the same, as those of a GPU's driver, hand on what
/// they are given. There may be one at a time.
class SignalWatcher {
public:
  SignalWatcher();
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

  std::stop_token stop_token() const { return stop_.get_token(); }

  /// True once per request.
  bool take_checkpoint_request() { return checkpoint_.exchange(false); }

  /// All that was asked for; a request for a checkpoint once, one to stop again and again.
  Requests take_requests();

  /// As if the signals had come to this process.
  void hear(const Requests& requests);

  /// The signal that asked to stop, or 0.
  int stop_signal() const { return stop_signal_; }

private:
  void watch();
  void ask_to_stop(int signal);
  void install_handlers();

  sigset_t watched_ = {};
  sigset_t previous_ = {};
  struct Action {
    int signal;
    struct sigaction previous;
  };
  std::vector<Action> actions_;  ///< that the handlers replaced
  std::stop_source stop_;
  std::atomic<int> stop_signal_ = 0;
  std::atomic<bool> checkpoint_ = false;
  std::atomic<bool> finished_ = false;
  std::thread thread_;
};

}  // namespace cisolve::app
