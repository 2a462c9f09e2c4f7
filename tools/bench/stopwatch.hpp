// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace cisolve::bench {

class Stopwatch {
public:
  /// Seconds since it was made or since the last lap.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cisolve::bench
