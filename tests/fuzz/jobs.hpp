// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/flapw/flapw_config.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

/// Whether a scan has few points: each takes as long to read as all else.
inline bool is_short(const Input& input) {
  constexpr std::int64_t few = 16;
  const auto points = input.entries.find("scan.values.points");
  if (points != input.entries.end() && std::get<std::int64_t>(points->second.value) > few) return false;
  const auto values = input.entries.find("scan.values");
  const auto* list =
      values == input.entries.end() ? nullptr : std::get_if<std::vector<double>>(&values->second.value);
  return list == nullptr || std::ssize(*list) <= few;
}

/// Reads the calculation that an input asks for, with the few basis sets of the corpora's folder.
inline void read_job(const Input& input) {
  static const int set = ::setenv("CISOLVE_DATA", CISOLVE_FUZZ_DATA, 1);
  if (set != 0) std::abort();
  if (!is_short(input)) return;
  const std::string_view asked_by = task_of(input).asked_by;
  if (asked_by == "scan") {
    read_scan_config(input);
  } else if (asked_by == "flapw") {
    read_flapw_config(input);
  } else {
    read_ci_config(input);
  }
}

}  // namespace cisolve::fuzz
