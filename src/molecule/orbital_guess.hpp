// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "cisolve/molecule/scf.hpp"
#include "molecule/occupation.hpp"
#include "molecule/orthonormal_basis.hpp"

namespace cisolve::detail {

/// Occupied orbitals to start from, over an orthonormal basis.
struct OccupiedOrbitals {
  Blocks
      orbitals;  ///< orthonormal; the doubly occupied of an irrep first, then the singly occupied; no others
  Occupation occupation;
};

/// The occupied orbitals of a restricted calculation at another geometry: their coefficients are kept, as if the
/// functions moved with the atoms, and orthonormalised anew (doi:10.1063/1.1747632).
/// @param earlier  over functions of the same number and order
/// @param overlap  of the functions at this geometry
/// @returns none if they are over other functions, have other irreps, or are dependent here
std::optional<OccupiedOrbitals> carry_occupied(const ScfOrbitals& earlier, const OrthonormalBasis& basis,
                                               const Matrix& overlap);

}  // namespace cisolve::detail
