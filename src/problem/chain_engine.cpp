// SPDX-License-Identifier: MIT
#include "cisolve/problem/chain_engine.hpp"

#include "problem/devices.hpp"

namespace cisolve {

std::unique_ptr<ChainEngine> make_chain_engine(const LatticeModel& model, const TrialState& trial,
                                               const WalkConfig& config, std::uint32_t first_chain,
                                               int chains, std::span<const Device> devices) {
  std::unique_ptr<ChainEngine> host = make_host_engine(model, trial, config, first_chain, chains);
  return devices.empty() ? std::move(host)
                         : make_device_chain_engine(model, trial, config, host->states(), devices);
}

std::unique_ptr<ChainEngine> make_chain_engine(const LatticeModel& model, const TrialState& trial,
                                               const WalkConfig& config, const ChainStates& states,
                                               std::span<const Device> devices) {
  return devices.empty() ? make_host_engine(model, trial, config, states)
                         : make_device_chain_engine(model, trial, config, states, devices);
}

}  // namespace cisolve
