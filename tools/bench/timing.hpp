// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/stopwatch.hpp"

namespace cisolve::bench {

/// Seconds of several runs of one thing.
struct Timing {
  const char* name;
  std::vector<double> seconds;

  template <class Work>
  void time(const Work& work) {
    const Stopwatch stopwatch;
    work();
    seconds.push_back(stopwatch.seconds());
  }

  /// Prints a line: median and range.
  nlohmann::json report() {
    std::ranges::sort(seconds);
    const double median = seconds[seconds.size() / 2];
    fmt::print("{:>16}: {:10.4f} s, from {:.4f} to {:.4f}\n", name, median, seconds.front(), seconds.back());
    return {{"what", name}, {"median_s", median}, {"least_s", seconds.front()}, {"most_s", seconds.back()}};
  }
};

}  // namespace cisolve::bench
