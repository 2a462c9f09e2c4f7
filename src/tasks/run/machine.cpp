// SPDX-License-Identifier: MIT
#include "tasks/run/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {

void require_consistent(const MachineKeys& keys) {
  if (keys.gpus > 1 && keys.device == DeviceChoice::cpu)
    throw InputError(fmt::format("run.gpus: {} were asked for, but run.device is \"cpu\"", keys.gpus));
  if (keys.gpus > 1 && !is_built_for_devices())
    throw InputError(fmt::format(
        "run.gpus: {} were asked for, but this program was built without CUDA; use \"auto\"", keys.gpus));
}

Resources resources_of(const MachineKeys& keys, const OtherMachine& machine) {
  if (machine.device_memory) {
    if (!is_built_for_devices())
      throw InputError("--device-memory: this program was built without CUDA and cannot plan for a device");
    if (keys.device == DeviceChoice::cpu)
      throw InputError("--device-memory: run.device is \"cpu\"; use \"cuda\" or \"auto\"");
    const auto devices = static_cast<std::size_t>(std::max(keys.gpus, 1));
    return {.memory = keys.memory > 0 ? keys.memory : usual_memory(),
            .devices = std::vector<Device>(devices, device_not_here(*machine.device_memory)),
            .device_required = keys.device == DeviceChoice::cuda,
            .ranks = keys.gpus};
  }
  Resources resources = available_resources(keys.device);
  if (keys.memory > 0) resources.memory = keys.memory;
  if (keys.gpus > std::max<std::ptrdiff_t>(std::ssize(resources.devices), 1)) {
    throw InputError(fmt::format("run.gpus: {} were asked for, but {}; use \"auto\"", keys.gpus,
                                 is_built_for_devices()
                                     ? fmt::format("{} CUDA device{} visible", resources.devices.size(),
                                                   resources.devices.size() == 1 ? " is" : "s are")
                                     : "this program was built without CUDA"));
  }
  if (!resources.devices.empty()) resources.ranks = keys.gpus;
  if (!resources.device_required || !resources.devices.empty()) return resources;
  throw InputError(fmt::format(
      "run.device: \"cuda\" was asked for, but {}; use \"cpu\" or \"auto\"",
      is_built_for_devices() ? "no CUDA device is visible" : "this program was built without CUDA"));
}

}  // namespace cisolve
