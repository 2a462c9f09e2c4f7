// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

#include "cisolve/problem/serve_ranks.hpp"

namespace cisolve {

enum class LogLevel { debug, info, warning };

/// How far a calculation has come.
struct RunEvent {
  /// "integrals", "space", "hamiltonian", "solve", "orbitals" (to be optimised), "selection" (of a list)
  std::string_view stage;
  int iteration = 0;                            ///< of the stage, from 1; 0: it begins
  std::span<const double> energies = {};        ///< of the roots, hartree; of orbitals the averaged one
  std::span<const double> residual_norms = {};  ///< hartree; of orbitals the largest element of the gradient
};

/// What a running calculation hears from outside (signals) and how it speaks (log, progress).
/// A default-constructed one never stops, never asks for a checkpoint and is silent.
struct RunControl {
  /// Asks to stop at the next good moment: SIGINT or SIGTERM came. Long loops look at it; what has no
  /// result to keep yet throws Interrupted.
  std::stop_token stop;

  /// True once per request (SIGUSR1) to write a checkpoint and go on. May be empty.
  std::function<bool()> take_checkpoint_request;

  /// Told of requests that came to other processes: they are as good as those that come here. May be empty.
  std::function<void(const Requests&)> hear;

  /// The other processes, where there are some that serve this one.
  const ServedRanks* served = nullptr;

  /// One line for the log (stderr), without a newline. May be empty.
  std::function<void(LogLevel, std::string_view)> log;

  /// Told of each stage and iteration, in the thread of the calculation. May be empty.
  std::function<void(const RunEvent&)> observe;

  bool quiet = false;         ///< -q: no progress
  bool verbose = false;       ///< -v: the report has all orbitals, a plan all formats
  bool progress_bar = false;  ///< stderr is a terminal: redraw one line; else a line now and then

  bool stop_requested() const { return stop.stop_requested(); }
  bool checkpoint_requested() const { return take_checkpoint_request && take_checkpoint_request(); }
  void hear_of(const Requests& requests) const {
    if (hear && requests != Requests{}) hear(requests);
  }
  void tell(const RunEvent& event) const {
    if (observe) observe(event);
  }
  void say(LogLevel level, std::string_view line) const {
    if (log) log(level, line);
  }
};

}  // namespace cisolve
