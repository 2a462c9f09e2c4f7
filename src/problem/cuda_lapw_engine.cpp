// SPDX-License-Identifier: MIT
#include "cisolve/core/error.hpp"
#include "cuda/lapw/engine.hpp"
#include "problem/devices.hpp"

namespace cisolve {

std::unique_ptr<lapw::Engine> make_device_lapw_engine(const Device& device) {
  if (device.ordinal == Device::not_here) throw InputError("the plan is for a device that is not there");
  return cuda::lapw::make_engine(device.ordinal, device.free_bytes);
}

}  // namespace cisolve
