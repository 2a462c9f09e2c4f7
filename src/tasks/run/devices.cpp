// SPDX-License-Identifier: MIT
#include "cisolve/tasks/run/devices.hpp"

#include <fmt/format.h>
#include <omp.h>

#ifdef CISOLVE_HAVE_CUDA
#include "cuda/core/device_info.hpp"
#endif

namespace cisolve {

std::vector<std::string> visible_devices() {
  std::vector<std::string> lines = {fmt::format("cpu, {} threads", omp_get_max_threads())};
#ifdef CISOLVE_HAVE_CUDA
  for (const auto& device : cuda::visible_devices()) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    lines.push_back(fmt::format("cuda {}: {}, {:.1f} GiB, compute capability {}.{}", device.ordinal,
                                device.name, static_cast<double>(device.total_memory) / gib,
                                device.compute_major, device.compute_minor));
  }
#endif
  return lines;
}

}  // namespace cisolve
