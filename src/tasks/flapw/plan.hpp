// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/problem/lapw_engine.hpp"
#include "tasks/flapw/system.hpp"

namespace cisolve {

/// What the largest k-point of a calculation takes.
struct FlapwPlan {
  std::int64_t waves = 0;  ///< of that point
  int point = 0;           ///< which it is, from 0
  LapwMemory memory;
};
FlapwPlan plan_flapw(const FlapwConfig& config, const FlapwSystem& system);

lapw::GenerationOptions generation_options(const FlapwConfig& config, const FlapwSystem& system);

/// Whether the states of so many plane waves are sought by Davidson's method.
bool uses_davidson(const FlapwConfig& config, std::int64_t waves);

/// Of repetitions of an algorithm: each step with its median time.
std::vector<lapw::LineRecord> median_lines(const std::vector<std::vector<lapw::LineRecord>>& repetitions);

}  // namespace cisolve
