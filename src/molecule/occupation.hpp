// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/molecule/scf.hpp"

namespace cisolve::detail {

/// Occupied orbitals of each irrep.
struct Occupation {
  std::vector<int> doubly, singly;

  bool operator==(const Occupation&) const = default;
};

/// The occupation that the input gives.
/// @param sizes  orbitals per irrep
/// @throws InputError  naming molecule.doubly_occupied or molecule.singly_occupied
Occupation given_occupation(const ScfConfig& config, const SymmetryFrame& frame,
                            const std::vector<int>& sizes);

/// Fills orbitals by energy: the lowest doubly, the next singly; degenerate ones in the order of irreps.
/// @param energies  [irrep][orbital], ascending in each irrep
/// @param ambiguous if not null: gets a sentence where the limit cuts degenerate orbitals of several irreps
Occupation lowest_occupation(const std::vector<std::vector<double>>& energies, int num_doubly, int num_singly,
                             double degeneracy, const SymmetryFrame& frame, std::string* ambiguous);

}  // namespace cisolve::detail
