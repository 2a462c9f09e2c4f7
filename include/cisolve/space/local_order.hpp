// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// An order of determinants in which the rows of H that lie side by side have nonzeros side by side, so that
/// products read x from few cache lines: [size], the row at each place.
///
/// Determinants that share their holes in the first determinant's orbitals of each spin make a block, within which the
/// irrep of the alpha string, the alpha string and the beta string ascend; blocks follow one another by
/// excitation level, level of the alpha string, holes of the alpha string, holes of the beta string. An
/// excitation then leads from neighbours to neighbours. A space without a limit on excitations has blocks
/// by the irrep of the alpha string only.
/// @param irreps  zero-based labels, one per orbital
/// @throws std::bad_alloc
template <int Words>
Array<std::int32_t> local_order(const Space<Words>& space, std::span<const int> irreps);

}  // namespace cisolve
