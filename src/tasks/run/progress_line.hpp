// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "cisolve/core/progress.hpp"
#include "cisolve/tasks/run/run_control.hpp"
#include "core/stopwatch.hpp"

namespace cisolve {

/// Shows how far a long piece of work has come: a bar redrawn on a terminal, a line every few seconds
/// in a log, nothing when quiet. Work that takes less than a second shows nothing.
class ProgressLine {
public:
  ProgressLine(const RunControl& control, std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Valid while this object lives; empty when quiet.
  Progress callback();

private:
  void show(double fraction);

  const RunControl& control_;
  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  bool drawn_ = false;
};

}  // namespace cisolve
