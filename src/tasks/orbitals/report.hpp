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
void print_optimisation_heading(std::ostream& out, const CiResult::System& system,
                                const CiResult::Orbitals& orbitals);

/// An iteration of the history, 0 the start.
void print_optimisation_iteration(std::ostream& out, const CiResult::Orbitals& orbitals, std::size_t number);

/// What was found.
void print_optimised(std::ostream& out, const CiResult::Orbitals& orbitals);

/// What an optimisation warns of: that it did not converge, that it ended at a saddle point, active orbitals that are
/// all but full or empty.
/// @param names  of the active natural orbitals
std::vector<std::string> optimisation_warnings(const CiResult::Orbitals& orbitals,
                                               std::span<const std::string> names,
                                               const OrbitalsConfig& config);

}  // namespace cisolve
