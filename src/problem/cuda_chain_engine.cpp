// SPDX-License-Identifier: MIT
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/sampling/engine.hpp"
#include "problem/devices.hpp"

namespace cisolve {

std::unique_ptr<ChainEngine> make_device_chain_engine(const LatticeModel& model, const TrialState& trial,
                                                      const WalkConfig& config, const ChainStates& states,
                                                      std::span<const Device> devices) {
  std::vector<int> ordinals;
  for (const Device& device : devices) {
    if (device.ordinal == Device::not_here) throw InputError("the plan is for a device that is not there");
    ordinals.push_back(device.ordinal);
  }
  return cuda::sampling::make_device_engine(model, trial, config, states, ordinals);
}

}  // namespace cisolve
