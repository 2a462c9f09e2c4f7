// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/hamiltonian/device_profile.hpp"
#include "cuda/hamiltonian/direct/excitations/sources.hpp"
#include "cuda/hamiltonian/direct/opposite/opposite_arrays.hpp"

namespace cisolve::cuda::direct {

/// What a block of threads holds of the opposite-spin part at a time.
struct Shape {
  int blocks = 1;                     ///< of threads, per multiprocessor
  int warps = most_warps;             ///< of a block of threads
  std::int32_t most_t = 0;            ///< elements of t
  std::int32_t most_factors = 0;      ///< of a phase
  std::int32_t most_excitations = 0;  ///< of a phase
  std::int32_t most_items = 0;        ///< of a phase
  std::int32_t most_columns = 0;      ///< of a block of y

  /// Elements of the largest pack.
  std::int64_t most_pack() const { return pack_size(most_items, most_excitations, most_factors); }

  /// Bytes of shared memory that a block of threads takes.
  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(8 * (std::int64_t{most_t} + most_columns + 2 * most_pack()));
  }
};

/// Elements between the rows of t, for source rows of `stride` columns.
inline std::int64_t t_stride(std::int64_t stride) { return stride + t_padding; }
/// Places in t that an entry of 16 bits names.
inline constexpr std::int64_t most_shared_t = 32767;

/// Elements of t in shared memory that sums of same-spin excitations need at least: some rows of narrow panels, one of
/// wider ones.
inline std::int64_t least_shared_t(std::int64_t most_columns) {
  return std::max<std::int64_t>(1024, most_columns);
}

/// Chooses what a block of threads holds at a time, for all blocks of y whose rows are not long.
/// @param blocks_per_multiprocessor  0: chosen
/// @return false, and no shape, if too little of t or of what excites fits into shared memory
bool choose_shape(const DeviceProfile& device, int blocks_per_multiprocessor, const Sources& sources,
                  Shape& shape);

}  // namespace cisolve::cuda::direct
