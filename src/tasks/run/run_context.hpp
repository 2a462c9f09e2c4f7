// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// What every step of a running calculation reads, hears and tells.
struct RunContext {
  const CiConfig& config;
  const RunControl& control;
  std::ostream& report;
  CiResult& result;  ///< what is found, with warnings and times; sectors come when all are done

  /// Adds a warning unless it has been said.
  void warn(std::string warning) const {
    std::vector<std::string>& said = result.warnings;
    if (std::ranges::find(said, warning) == said.end()) said.push_back(std::move(warning));
  }
};

}  // namespace cisolve
