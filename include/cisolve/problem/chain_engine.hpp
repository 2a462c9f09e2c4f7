// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cisolve/problem/resources.hpp"
#include "cisolve/sampling/sampler.hpp"

namespace cisolve {

/// Markov chains of variational Monte Carlo on devices, or where none are named on the threads of the host: the same walks
/// everywhere. Chains are shared out among several devices by ranges of their numbers.
/// @param first_chain  number of the first
/// @throws InputError  as make_host_engine
std::unique_ptr<ChainEngine> make_chain_engine(const LatticeModel& model, const TrialState& trial,
                                               const WalkConfig& config, std::uint32_t first_chain,
                                               int chains, std::span<const Device> devices);

/// The same, from where chains were.
/// @throws DimensionError  as ChainEngine::set_states
std::unique_ptr<ChainEngine> make_chain_engine(const LatticeModel& model, const TrialState& trial,
                                               const WalkConfig& config, const ChainStates& states,
                                               std::span<const Device> devices);

}  // namespace cisolve
