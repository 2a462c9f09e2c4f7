// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "cisolve/sampling/sampler.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"

namespace cisolve {

/// What walks the chains of a run, and where.
class VmcEngine {
public:
  VmcEngine(std::unique_ptr<ChainEngine> chains, std::string device)
      : chains_(std::move(chains)), device_(std::move(device)) {}

  ChainEngine& chains() { return *chains_; }
  const std::string& device() const { return device_; }

private:
  std::unique_ptr<ChainEngine> chains_;
  std::string device_;
};

/// Chains on the threads of the host, on a device, or of several processes.
/// @throws InputError  no configuration is found where the state does not vanish; a device is asked for that isn't there
/// @param states  where they were; null: at their starts
std::unique_ptr<VmcEngine> make_engine(const VmcConfig& config, const TrialState& trial,
                                       const ChainStates* states, const RunControl& control);

/// Where chains would walk, by name.
std::string expected_device(const VmcConfig& config);

/// Displacements, or pairs, whose correlations are measured: 0 if none are.
int measured_displacements(const VmcConfig& config);

/// What a run takes.
struct VmcMemory {
  std::int64_t of_chain = 0, of_thread = 0;  ///< on the host, bytes
  std::int64_t all = 0;                      ///< with the series
  std::int64_t limit = 0;                    ///< what it may take
};

/// @throws DoesNotFit  with the largest number of chains that fits
VmcMemory require_room(const VmcConfig& config, const OtherMachine& machine);

}  // namespace cisolve
