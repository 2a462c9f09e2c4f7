// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/problem/resources.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve {

/// What [run] says of the machine.
struct MachineKeys {
  DeviceChoice device = DeviceChoice::automatic;
  int gpus = 0;             ///< 0: automatic
  std::int64_t memory = 0;  ///< bytes; 0: automatic
};

/// What is found out before anything is looked for.
/// @throws InputError  several GPUs were asked for, but run.device is "cpu" or this build is without CUDA
void require_consistent(const MachineKeys& keys);

/// What a run may take here, or could where a device with other memory is.
/// @throws InputError  GPUs were asked for that this machine or build lacks
Resources resources_of(const MachineKeys& keys, const OtherMachine& machine = {});

}  // namespace cisolve
