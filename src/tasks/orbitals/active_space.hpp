// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tasks/ci/job/integral_source.hpp"

namespace cisolve {

/// The same calculation with the active space of space.reference as all there is for the CI: orbitals below it frozen as
/// core, the others as virtuals. The orbitals are told by their SCF energies and occupations, so that no integrals are
/// needed.
/// @param names     of all orbitals
/// @param warnings  hears of degenerate orbitals that the active space cuts
/// @throws InputError naming space.reference, states.multiplicity or orbitals.fixed
CiConfig freeze_outside_active_space(const CiConfig& config, const IntegralSource& source,
                                     std::span<const std::string> names, std::vector<std::string>& warnings);

}  // namespace cisolve
