// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include "cisolve/tasks/vmc/vmc_config.hpp"
#include "cisolve/tasks/vmc/vmc_result.hpp"

namespace cisolve {

// The printed report, in parts as the run gets there; print_vmc prints all of them from a file.

/// Header, lattice, trial state.
void print_vmc_setting(std::ostream& out, const VmcResult& result);

void print_optimisation_heading(std::ostream& out, const VmcConfig& config);
void print_optimisation_iteration(std::ostream& out, const VmcResult& result, std::size_t k);

/// Energies, chains, correlations, warnings, times.
void print_vmc_findings(std::ostream& out, const VmcResult& result);

}  // namespace cisolve
