// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// <bra|H|ket> in hartree by the Slater-Condon rules, core energy on the diagonal: the definition
/// that every faster path is tested against. Works from the two determinants alone.
/// @see A. Szabo, N. S. Ostlund, Modern Quantum Chemistry, tables 2.3 and 2.4
template <int Words>
double matrix_element(const Integrals& integrals, const Determinant<Words>& bra,
                      const Determinant<Words>& ket);

/// H over some rows of a space, shape rows.size() x rows.size().
template <int Words>
Matrix dense_block(const Integrals& integrals, const Space<Words>& space, std::span<const std::int64_t> rows);

/// Diagonal of H, shape [space.size()], in parallel.
template <int Words>
std::vector<double> diagonal(const Integrals& integrals, const Space<Words>& space);

}  // namespace cisolve
