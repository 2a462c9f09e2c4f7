// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"

namespace cisolve {

/// Integrals over other orbitals that are combinations of these,
///     h'_ij = sum_pq C_ip C_jq h_pq      (ij|kl)' = sum_pqrs C_ip C_jq C_kr C_ls (pq|rs)
/// Elements that the irreps forbid are exact zeros. O(N^5). Half-transformed integrals are held for as many pairs of new
/// orbitals as fit, and made in as many passes over the old ones as that takes; the result does not depend on it.
/// @param orbitals   C, [new x old]: orthonormal rows, as many as are wanted
/// @param irreps     zero-based, of the new orbitals
/// @param max_bytes  for half-transformed integrals; one pair of new orbitals is always held
/// @throws DimensionError if the sizes do not agree
Integrals rotated(const Integrals& integrals, const Matrix& orbitals, std::span<const int> irreps,
                  std::int64_t max_bytes = std::int64_t{1} << 30);

}  // namespace cisolve
