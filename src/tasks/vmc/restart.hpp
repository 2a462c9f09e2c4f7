// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"
#include "tasks/vmc/state.hpp"

namespace cisolve {

/// What --restart goes on from: the file named, the checkpoint, or the result of a run that ended, which may be given more
/// sweeps or another target.
/// @throws InputError  there is nothing, or it is of another calculation: names the first line that differs
FoundState find_state(const VmcConfig& config, const RunOptions& options);

}  // namespace cisolve
