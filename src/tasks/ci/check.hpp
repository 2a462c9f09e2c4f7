// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iosfwd>

#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// Prints the plan of all sectors, up to the warnings; times of `result` say what preparing took.
/// @param machine  that they are for
/// @returns bytes that vectors and functions will take in a result file
/// @throws as check_ci
std::int64_t print_plans(const CiConfig& config, const OtherMachine& machine, std::ostream& report,
                         CiResult& result);

}  // namespace cisolve
