// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/molecule/scf.hpp"
#include "molecule/orthonormal_basis.hpp"

namespace cisolve::detail {

/// Canonical orbitals: the Fock matrix is diagonalised among the orbitals of each irrep that have the same
/// occupation, and they are sorted by occupation, then energy.
/// @param orbitals  over the orthonormal basis; the doubly occupied first, then the singly occupied
/// @param doubly, singly  orbitals per irrep
ScfOrbitals sorted_orbitals(const OrthonormalBasis& basis, const Blocks& fock, const Blocks& orbitals,
                            const std::vector<int>& doubly, const std::vector<int>& singly);

}  // namespace cisolve::detail
