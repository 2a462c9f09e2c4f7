// SPDX-License-Identifier: MIT
#include "cisolve/problem/resources.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "cisolve/core/memory.hpp"
#include "cisolve/core/number_text.hpp"

namespace cisolve {

std::int64_t usual_memory() {
  constexpr double share_of_free = 0.8;  // leaves room for the file cache and other programs
  return static_cast<std::int64_t>(share_of_free * static_cast<double>(available_memory()));
}

Resources available_resources(DeviceChoice choice) {
  Resources resources{.memory = usual_memory(), .devices = {}};
  if (choice != DeviceChoice::cpu) resources.devices = find_devices();
  resources.device_required = choice == DeviceChoice::cuda;
  return resources;
}

Device device_not_here(std::int64_t free_bytes) {
  return {
      Device::not_here, fmt::format("a device with {} free", format_bytes(free_bytes)), free_bytes, {}, {}};
}

std::string cpu_name() {
  return fmt::format("cpu, {} thread{}", omp_get_max_threads(), omp_get_max_threads() == 1 ? "" : "s");
}

}  // namespace cisolve
