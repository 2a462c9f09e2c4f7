// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "cisolve/core/progress.hpp"
#include "cisolve/tasks/run/run_control.hpp"

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

/// Seconds since it was made.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cisolve
