// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <functional>
#include <optional>
#include <stop_token>

namespace cisolve::python {

/// Work in C++ that Python waits for. It goes on without the interpreter's lock, and is asked to stop where Ctrl-C was
/// pressed, a question put to Python was answered by no or an exception, or the interpreter ends: that waits for it.
/// Made and destroyed with the lock.
class Call {
public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::stop_token stop_token() const { return stop_.get_token(); }
  bool stop_requested() const { return stop_.stop_requested(); }

  /// Does the work here; in a process that was forked from one that worked, as run_aside: the threads that OpenMP keeps for
  /// this thread are not there. Signals are heard when it asks Python something.
  /// @throws what the work throws, unless Python threw something before
  void run(const std::function<void()>& work);

  /// Does the work in another thread, while this one hears of signals.
  /// @throws as run
  void run_aside(const std::function<void()>& work);

  /// Puts a question to Python, and hears of signals: for the work, from any of its threads.
  /// @param question  called with the lock; false: the work is to stop. Empty: signals alone
  /// @return whether to go on
  bool ask(const std::function<bool()>& question = {});

  /// Tells Python something, also when the work is to stop; what Python throws ends the work.
  /// @param message  called with the lock
  void tell(const std::function<void()>& message);

  /// Asks all calls under way to stop, and waits until they have returned to Python: for the interpreter's end.
  static void end_all();

private:
  /// With the lock.
  bool put(const std::function<bool()>& question);
  /// Keeps what Python threw, the first of it, and ends the work.
  void fail(nanobind::python_error& error);
  /// Throws again, with the lock, what was thrown.
  void settle(const std::exception_ptr& failure);

  std::stop_source stop_;
  std::optional<nanobind::python_error> thrown_;  ///< by Python, the first
};

}  // namespace cisolve::python
