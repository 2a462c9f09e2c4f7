// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cuda/hamiltonian/direct_plan.hpp"
#include "cuda/hamiltonian/opposite_sources.hpp"

namespace cisolve::cuda::direct {

/// Elements between the rows of t, for source rows of `stride` columns.
inline std::int64_t t_stride(std::int64_t stride) { return stride + t_padding; }
/// Places in t that an entry of 16 bits names.
inline constexpr std::int64_t most_shared_t = 32767;

/// Elements of t in shared memory that sums of same-spin excitations need at least: some rows of narrow panels, one of
/// wider ones.
inline std::int64_t least_shared_t(std::int64_t most_columns) {
  return std::max<std::int64_t>(1024, most_columns);
}

/// Chooses what a block of threads holds of the opposite-spin part at a time, for all blocks of y that are not tiled. Sets
/// shape and sizes of the plan.
/// @return false, and no plan, if too little of t or of what excites fits into shared memory
bool choose_shape(const DirectConfig& config, const Sources& sources, std::span<const Side> sides,
                  OppositePlan& plan);

}  // namespace cisolve::cuda::direct
