// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/lapw/engine.hpp"
#include "problem/devices.hpp"

namespace cisolve {

std::unique_ptr<lapw::Engine> make_device_lapw_engine(std::span<const Device> devices) {
  std::vector<int> ordinals;
  for (const Device& device : devices) {
    if (device.ordinal == Device::not_here) throw InputError("the plan is for a device that is not there");
    ordinals.push_back(device.ordinal);
  }
  return cuda::lapw::make_engine(ordinals, std::ranges::min(devices, {}, &Device::free_bytes).free_bytes);
}

}  // namespace cisolve
