// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cisolve/tasks/vmc/vmc_config.hpp"
#include "cisolve/tasks/vmc/vmc_result.hpp"
#include "tasks/vmc/state.hpp"

namespace cisolve {

/// What a run is of, before anything walked.
void describe_setting(const VmcConfig& config, VmcResult& result);

/// The state that is sampled now.
void describe_state(const TrialState& state, VmcResult& result);

/// Writes the result file.
/// @param state  that a longer run can go on from; null: no chain walked
void write_vmc(const std::filesystem::path& file, const VmcResult& result, const VmcState* state);

}  // namespace cisolve
