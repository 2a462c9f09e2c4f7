// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cisolve/sampling/sampler.hpp"

namespace cisolve::cuda::sampling {

/// How chains walk on a device. All give the same walk but for rounding.
enum class EngineKind {
  automatic,  ///< what is fastest
  plain,  ///< one step at a time, each change of a table in device memory at once; the only one for a fermi-sea
  small,   ///< pairs on up to 32 sites: a warp for each chain, tables in shared memory
  shared,  ///< pairs on up to 160 sites: a block for each chain, tables in shared memory
  delayed  ///< pairs: a block for each chain, tables in device memory, whose changes are collected
};

struct DeviceEngineConfig {
  EngineKind kind = EngineKind::automatic;
  int ranks = 0;    ///< that a delayed table collects, a multiple of 4; 0: as is best
  int threads = 0;  ///< of each chain with a delayed table, 128 or 256; 0: as is best
};

/// Chains on devices, each of which has a range of them. Their walks are those of make_host_engine unless a step is
/// decided by rounding; neither they nor their sums depend on devices or on how many chains there are.
/// @param ordinals  of the devices, some of which may be the same
/// @throws as make_host_engine; CudaError; ResourceError where tables do not fit; DimensionError of a kind that cannot walk
///         with such a state
std::unique_ptr<ChainEngine> make_device_engine(const LatticeModel& model, const TrialState& trial,
                                                const WalkConfig& config, std::uint32_t first_chain,
                                                int chains, std::span<const int> ordinals,
                                                const DeviceEngineConfig& device = {});

/// The same, from where chains were; none is drawn.
/// @throws as ChainEngine::set_states
std::unique_ptr<ChainEngine> make_device_engine(const LatticeModel& model, const TrialState& trial,
                                                const WalkConfig& config, const ChainStates& states,
                                                std::span<const int> ordinals,
                                                const DeviceEngineConfig& device = {});

/// What `automatic` stands for.
EngineKind kind_for(const TrialState& trial);

/// Device memory of each chain, bytes: tables, places, sums of a block of `sweeps` sweeps with an energy after each.
std::int64_t device_bytes_per_chain(const LatticeModel& model, const TrialState& trial, int sweeps = 100);

/// Device memory of an engine besides its chains, bytes: where tables are made anew.
std::int64_t device_bytes_of_engine(const TrialState& trial, int chains);

}  // namespace cisolve::cuda::sampling
