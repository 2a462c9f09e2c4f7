// SPDX-License-Identifier: MIT
#include "app/signals.hpp"

#include <pthread.h>

namespace cisolve::app {

namespace {

/// As nohup leaves SIGHUP: who started the program wants it to go on.
bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatcher::SignalWatcher() {
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&watched_, signal);
  for (const int signal : {SIGHUP, SIGXCPU, SIGUSR2}) {
    if (!is_ignored(signal)) sigaddset(&watched_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &previous_);
  thread_ = std::thread([this] { watch(); });
}

SignalWatcher::~SignalWatcher() {
  finished_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);  // wakes it
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void SignalWatcher::watch() {
  for (;;) {
    int signal = 0;
    if (sigwait(&watched_, &signal) != 0) continue;
    if (finished_) return;
    if (signal == SIGUSR1) {
      checkpoint_ = true;
      continue;
    }
    if (signal == SIGINT && stop_signal_ != 0) {
      std::signal(SIGINT, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
      std::raise(SIGINT);
    }
    if (stop_signal_ == 0) stop_signal_ = signal;
    stop_.request_stop();
  }
}

}  // namespace cisolve::app
