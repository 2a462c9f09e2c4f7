// SPDX-License-Identifier: MIT
#include "python/call.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace cisolve::python {
namespace {

/// Calls under way, guarded by the interpreter's lock.
std::vector<Call*>& calls() {
  static std::vector<Call*> all;
  return all;
}

/// Whether this process was forked from one that had loaded the module: of what worked there, threads are not here.
bool is_forked = false;

/// Called in a child that was just forked, by the thread that did it, which holds the interpreter's lock.
void begin_as_child() {
  is_forked = true;
  calls().clear();
}

[[maybe_unused]] const int told = pthread_atfork(nullptr, nullptr, &begin_as_child);

}  // namespace

Call::Call() { calls().push_back(this); }

Call::~Call() { std::erase(calls(), this); }

void Call::run(const std::function<void()>& work) {
  if (is_forked) return run_aside(work);
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release release;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  settle(failure);
}

void Call::run_aside(const std::function<void()>& work) {
  constexpr std::chrono::milliseconds between_looks(50);
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release release;
    std::mutex mutex;
    std::condition_variable ended;
    bool is_done = false;
    const std::jthread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, between_looks, [&] { return is_done; })) {
      lock.unlock();
      ask();
      lock.lock();
    }
  }
  settle(failure);
}

bool Call::ask(const std::function<bool()>& question) {
  const nb::gil_scoped_acquire acquire;
  return put(question);
}

bool Call::put(const std::function<bool()>& question) {
  if (stop_requested()) return false;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // in the main thread only, by Python's rules
    if (question && !question()) stop_.request_stop();
  } catch (nb::python_error& error) {
    fail(error);
  }
  return !stop_requested();
}

void Call::tell(const std::function<void()>& message) {
  const nb::gil_scoped_acquire acquire;
  try {
    message();
  } catch (nb::python_error& error) {
    fail(error);
  }
}

void Call::fail(nb::python_error& error) {
  if (!thrown_) thrown_.emplace(std::move(error));
  stop_.request_stop();
}

void Call::settle(const std::exception_ptr& failure) {
  if (thrown_) throw nb::python_error(std::move(*std::exchange(thrown_, std::nullopt)));
  if (failure) std::rethrow_exception(failure);
}

void Call::end_all() {
  constexpr std::chrono::milliseconds between_looks(5);
  while (!calls().empty()) {
    for (Call* call : calls()) call->stop_.request_stop();
    const nb::gil_scoped_release release;
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace cisolve::python
