// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"

namespace cisolve {

/// Integrals over other orbitals that are combinations of these,
///     h'_ij = sum_pq C_ip C_jq h_pq      (ij|kl)' = sum_pqrs C_ip C_jq C_kr C_ls (pq|rs)
/// Elements that the irreps forbid are exact zeros. O(N^5); holds half-transformed integrals beside both, as many as
/// (pairs of new) x (pairs of old orbitals).
/// @param orbitals  C, [new x old]: orthonormal rows, as many as are wanted
/// @param irreps    zero-based, of the new orbitals
/// @throws DimensionError if the sizes do not agree
Integrals rotated(const Integrals& integrals, const Matrix& orbitals, std::span<const int> irreps);

}  // namespace cisolve
