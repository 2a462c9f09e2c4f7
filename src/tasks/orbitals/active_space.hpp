// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tasks/ci/job/integral_source.hpp"

namespace cisolve {

/// The same calculation with the active space as all there is for the CI: orbitals below it frozen as core, the others
/// as virtuals. Where space.reference is a CAS at level 0 it is the active space; the orbitals are told by their SCF
/// energies and occupations, so that no integrals are needed. Else all are active that the input does not freeze.
/// @param names     of all orbitals
/// @param warnings  hears of degenerate orbitals that the active space cuts
/// @throws InputError naming space.reference, states.multiplicity or orbitals.fixed
CiConfig freeze_outside_active_space(const CiConfig& config, const IntegralSource& source,
                                     std::span<const std::string> names, std::vector<std::string>& warnings);

}  // namespace cisolve
