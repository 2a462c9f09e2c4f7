// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/vmc/vmc_result.hpp"
#include "tasks/vmc/state.hpp"

namespace cisolve {

struct VmcConfig;

/// Fills in what follows from the sums of all measurements: energies, errors, correlations, and what is to be warned of.
void add_findings(const VmcConfig& config, const VmcState& state, VmcResult& result);

/// The optimisation so far.
void add_optimisation(const VmcConfig& config, const Reconfiguration& optimisation, VmcResult& result);

}  // namespace cisolve
