// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "cisolve/molecule/orbital_optimisation.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// Orbitals as the last CI has them.
struct FinalSet {
  ClassifiedOrbitals orbitals;
  std::vector<double> energies;     ///< diagonal of the Fock matrix, hartree
  std::vector<double> occupations;  ///< diagonal of the averaged density matrix
  bool active_turned = false;       ///< vectors over the active orbitals before do not fit these
};

/// Turns optimised orbitals within their classes and irreps; those that stay in their class keep its places.
/// @param fock   over all orbitals, hartree
/// @param one    averaged density matrix over the active orbitals
/// @param fixed  zero-based orbitals that stay as they are
FinalSet final_set(const ClassifiedOrbitals& orbitals, const Matrix& fock, const Matrix& one,
                   FinalOrbitals how, std::span<const int> fixed);

/// Active orbitals become natural ones of their subspaces, in the places of their irreps by descending occupation; the
/// others stay.
/// @param fock, one  as of final_set
/// @param ranks      of the active orbitals: places of lower rank are taken first
FinalSet natural_set(const ClassifiedOrbitals& orbitals, const Matrix& fock, const Matrix& one,
                     std::span<const int> ranks);

}  // namespace cisolve
