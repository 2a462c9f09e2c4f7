// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cisolve/problem/plan.hpp"
#include "core/stopwatch.hpp"

namespace cisolve {

/// The device that a plan is made for, or null.
/// @throws InputError if one is required and there is none
const Device* device_to_plan_for(const Resources& resources);

/// Why something does not fit on a device, in words.
std::string what_is_free(std::int64_t needed, const Device& device);

/// The solver's configuration for a space: more roots than it has are not asked for.
DavidsonConfig solver_of(const PlanOptions& options, std::int64_t size);

}  // namespace cisolve
