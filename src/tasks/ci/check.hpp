// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/tasks/ci/ci.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// Prints the plan of all sectors, up to the warnings; times of the result say what preparing took.
/// @param machine  that they are for
/// @returns bytes that vectors and functions will take in a result file
/// @throws as check_ci
std::int64_t print_plans(const RunContext& context, const OtherMachine& machine);

}  // namespace cisolve
