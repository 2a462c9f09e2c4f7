// SPDX-License-Identifier: MIT
#include "cisolve/tasks/run/devices.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "cisolve/problem/resources.hpp"

namespace cisolve {

std::vector<std::string> visible_devices() {
  std::vector<std::string> lines = {fmt::format("cpu, {} threads", omp_get_max_threads())};
  for (const Device& device : devices_here()) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    lines.push_back(fmt::format("cuda {}: {}, {:.1f} GiB, compute capability {}", device.ordinal, device.name,
                                static_cast<double>(device.free_bytes) / gib, device.compute_capability));
  }
  return lines;
}

}  // namespace cisolve
