// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/molecule/scf.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// The calculation with the orbitals that continue those chosen at another geometry: frozen ones, a CAS, and those of
/// space.max_holes and space.max_particles become numbers. Of each irrep as many are taken as were chosen there: those
/// with the largest share in the orbitals chosen; of frozen ones, and where the CAS would hold another number of
/// occupied orbitals, of the occupied and of the empty ones apart. Where there are not as many, they are chosen anew.
/// Unchanged where CiConfig::chosen_before is null.
/// @param here      the SCF's
/// @param names     of all orbitals, for the warnings
/// @param warnings  gets a sentence where less than half of an orbital was among those chosen, or where they are chosen anew
CiConfig follow_orbitals(const CiConfig& config, const ScfOrbitals& here, std::span<const std::string> names,
                         std::vector<std::string>& warnings);

/// A sentence where the orbitals followed are not those that the input would choose by itself; else empty.
/// @param what    begins it: "the CAS"
/// @param origin  what they are followed from: "point 3"
/// @param names   of the orbitals that are numbered, from 0
std::string followed_warning(std::string_view what, std::string_view origin, std::vector<int> followed,
                             std::vector<int> anew, std::span<const std::string> names);

}  // namespace cisolve
