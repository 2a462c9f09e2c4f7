// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// What must be as it was when a scan goes on.
enum class SameJob {
  points,  ///< what decides what a point is, but the list of points: a restart
  everything  ///< all keys but the list of points, and those of machine, files and ways to converge: an extension
};

/// Refuses a file of a scan that was asked for with another input.
/// @param resolved  that input with all defaults
/// @param here      likewise, of this scan
/// @param begin     of the sentence: "--restart: 'lih.h5'"
/// @throws InputError  names the key that differs
void require_same_job(const std::string& resolved, const std::string& here, SameJob same,
                      const std::string& begin);

/// Refuses a point whose geometry, or file of integrals, is another one: files may have changed.
/// @throws InputError
void require_same_point(const CiResult& result, const CiConfig& config, int number, const std::string& begin);

/// Whether two values of a coordinate are the same but for rounding.
bool is_same_value(double a, double b);

}  // namespace cisolve
