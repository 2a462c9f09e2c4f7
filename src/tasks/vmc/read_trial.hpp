// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/sampling/trial_state.hpp"
#include "tasks/input/entry_reader.hpp"

namespace cisolve {

struct VmcConfig;

/// The trial state that [vmc] describes.
/// @throws InputError  keys that do not go with the model, or with each other
TrialParameters read_trial(const detail::EntryReader& reader, const LatticeModel& model);

/// What vmc.optimise lists.
/// @param config  with its lattice and its trial state
/// @throws InputError  what there is not, or twice
std::vector<TrialParameter> read_optimise(const detail::EntryReader& reader, const VmcConfig& config);

}  // namespace cisolve
