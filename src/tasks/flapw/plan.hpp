// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cisolve/problem/lapw_engine.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "tasks/flapw/system.hpp"

namespace cisolve {

/// What the largest k-point of a calculation takes.
struct FlapwPlan {
  std::int64_t waves = 0;     ///< of that point
  int point = 0;              ///< which it is, from 0
  double shared_flops = 0.0;  ///< of all points, that several devices can share
  LapwMemory memory;
};
/// @param processes  that share the k-points
FlapwPlan plan_flapw(const FlapwConfig& config, const FlapwSystem& system, int processes);

/// The other processes, where there are some and k-points for them.
/// @param pending  k-points that are to be made
const ServedRanks* sharers_of(const RunControl& control, std::size_t pending);

/// Where each process makes its k-points, of several on one device.
struct FlapwPlace {
  std::vector<Device> devices;  ///< of this process; none: the CPU
  std::string warning;          ///< may be empty
};
/// @param sharers  as sharers_of has them; all processes take a device, or none does
/// @throws InputError     GPUs were asked for that are not there, or more than one for each of several processes
/// @throws ResourceError  as choose_lapw_devices
FlapwPlace choose_place(const FlapwConfig& config, const FlapwPlan& plan, const RunControl& control,
                        const ServedRanks* sharers, const OtherMachine& machine = {});

lapw::GenerationOptions generation_options(const FlapwConfig& config, const FlapwSystem& system);

/// Whether the states of so many plane waves are sought by Davidson's method.
bool uses_davidson(const FlapwConfig& config, std::int64_t waves);

/// Of repetitions of an algorithm: each step with its median time.
std::vector<lapw::LineRecord> median_lines(const std::vector<std::vector<lapw::LineRecord>>& repetitions);

}  // namespace cisolve
