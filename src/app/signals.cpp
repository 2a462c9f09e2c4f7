// SPDX-License-Identifier: MIT
#include "app/signals.hpp"

#include <pthread.h>

#include <cerrno>

namespace cisolve::app {

namespace {

/// As nohup leaves SIGHUP: who started the program wants it to go on.
bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// The thread that waits for signals, while there is one.
std::atomic<pthread_t> watching = {};
static_assert(std::atomic<pthread_t>::is_always_lock_free);

/// In a thread that does not block the signal: without this the program would end, or not hear of it.
void hand_on(int signal) {
  const int number = errno;
  pthread_kill(watching, signal);
  errno = number;
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
  install_handlers();
}

void SignalWatcher::install_handlers() {
  watching = thread_.native_handle();
  struct sigaction action = {};
  action.sa_handler = hand_on;
  action.sa_flags = SA_RESTART;
  action.sa_mask = watched_;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU, SIGUSR2}) {
    if (sigismember(&watched_, signal) != 1) continue;
    Action& replaced = actions_.emplace_back(Action{signal, {}});
    sigaction(signal, &action, &replaced.previous);
  }
}

SignalWatcher::~SignalWatcher() {
  for (const Action& action : actions_) sigaction(action.signal, &action.previous, nullptr);
  finished_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);  // wakes it
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

Requests SignalWatcher::take_requests() {
  return {.checkpoint = take_checkpoint_request() ? 1 : 0, .stop_signal = stop_signal_};
}

void SignalWatcher::hear(const Requests& requests) {
  if (requests.checkpoint != 0) checkpoint_ = true;
  if (requests.stop_signal != 0) ask_to_stop(requests.stop_signal);
}

void SignalWatcher::ask_to_stop(int signal) {
  int none = 0;
  stop_signal_.compare_exchange_strong(none, signal);
  stop_.request_stop();
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
      sigset_t interrupt = {};
      sigemptyset(&interrupt);
      sigaddset(&interrupt, SIGINT);
      pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
      std::raise(SIGINT);
    }
    ask_to_stop(signal == SIGUSR2 ? SIGTERM : signal);
  }
}

}  // namespace cisolve::app
