// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cisolve/molecule/symmetry.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Whether orbitals lack the symmetry of a linear molecule or an atom: an irrep has not the orbital energies of
/// another whose functions differ from its own by an exchange of axes.
/// @param energies, irreps  of all orbitals; hartree, zero-based
/// @return  what they lack the symmetry of; none if they don't, or the molecule is neither
std::optional<std::string_view> lacking_symmetry(const SymmetryFrame& frame, std::span<const double> energies,
                                                 std::span<const int> irreps);

/// How warnings begin that are of what may be found; those of what was found take their place.
inline constexpr std::string_view split_states_begin = "components of degenerate states";

/// Warns in all jobs of what keeps components of degenerate states apart that are in several of their sectors: SCF
/// orbitals without the symmetry, or references.
/// @param frame  null where the integrals come from a file
void warn_of_split_states(const SymmetryFrame* frame, std::vector<CiJob>& jobs);

}  // namespace cisolve
