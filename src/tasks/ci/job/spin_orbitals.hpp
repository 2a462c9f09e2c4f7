// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// Gives unrestricted integrals the overlap of their orbitals, from the input's file or from the integrals themselves
/// where both spins span one space; else says in a warning that S^2 is not known.
/// @param integrals  over all orbitals, none of which is frozen
/// @throws InputError  the file is refused, or is not the overlap of these orbitals
void settle_overlap(const CiConfig& config, Integrals& integrals, std::vector<std::string>& warnings);

/// Refuses what the input asks for and orbitals that differ from spin to spin do not allow.
/// @throws InputError  names the key and why
void require_determinants_of_spin_orbitals(const CiConfig& config);

/// Refuses what the input asks for and complex coefficients do not allow, or orbitals that have no spin.
/// @throws InputError  names the key and why
void require_complex_determinants(const CiConfig& config, bool spinors);

}  // namespace cisolve
