// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cisolve/problem/serve_ranks.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"

// Chains by rank: each process walks a range of their numbers, the first tells the others what comes next and has the sums
// of all, chain after chain, as if it had walked them alone.

namespace cisolve {

/// How chains are shared out.
struct ChainSharing {
  const ServedRanks& served;
  bool on_device = false;                          ///< each process takes its first device, or else the CPU
  std::function<void(const Requests&)> hear = {};  ///< what another process was asked for; may be empty
};

/// All chains of a run, those of other processes too: at their starts, or where they were.
/// @param devices  of this process
/// @param states   null: at their starts
/// @throws as make_chain_engine
std::unique_ptr<ChainEngine> share_chains(const VmcConfig& config, const TrialState& trial,
                                          const ChainStates* states, std::span<const Device> devices,
                                          const ChainSharing& sharing);

/// This process's part of what share_chains asks for, until that goes.
/// @throws InputError   as on the first process
/// @throws SystemError  it has fewer devices than it said
void serve_chains(const SharedWork& work, const WorkPlace& place);

}  // namespace cisolve
