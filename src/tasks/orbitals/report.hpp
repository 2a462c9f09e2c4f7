// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// Before the first iteration.
/// @param source  what it goes on from; empty: it begins
/// @param taken   that is all there is to do: no iterations follow
void print_optimisation_heading(std::ostream& out, const CiResult::System& system,
                                const CiResult::Orbitals& orbitals, const std::string& source = {},
                                bool taken = false);

/// An iteration of the history, 0 the start.
void print_optimisation_iteration(std::ostream& out, const CiResult::Orbitals& orbitals, std::size_t number);

/// What was found, with the active orbitals.
/// @param result  of the calculation, whose /system is of these orbitals
/// @param all     inactive and empty orbitals, too
void print_optimised(std::ostream& out, const CiResult& result, const CiResult::Orbitals& orbitals, bool all);

/// What an optimisation warns of: that it did not converge, that it ended at a saddle point, active orbitals that are
/// all but full or empty.
/// @param names  of the active natural orbitals; empty: not known
std::vector<std::string> optimisation_warnings(const CiResult::Orbitals& orbitals,
                                               std::span<const std::string> names, const CiConfig& config);

}  // namespace cisolve
