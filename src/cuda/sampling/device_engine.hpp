// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cuda/sampling/engine.hpp"

namespace cisolve::cuda::sampling {

/// Chains on one device, from where they were.
std::unique_ptr<ChainEngine> make_engine_on(int ordinal, const LatticeModel& model, const TrialState& trial,
                                            const WalkConfig& config, const ChainStates& states,
                                            const DeviceEngineConfig& device);

}  // namespace cisolve::cuda::sampling
