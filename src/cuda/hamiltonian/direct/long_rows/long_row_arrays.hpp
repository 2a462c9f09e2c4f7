// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/types.hpp"

// Opposite-spin sums of rows that are too long for their t to be in shared memory: all pairs of a tile of columns at a time.
namespace cisolve::cuda::direct {

/// Warps of a block of threads that works on a long row, and columns of t that it makes at a time: a tile.
inline constexpr int long_warps = 8;
inline constexpr int long_columns = long_warps * tile_columns;
/// Blocks of threads that share a multiprocessor if there is room, and pairs rs that one works on at a time: a warp keeps the sums of
/// tile_columns columns for all of them in registers.
inline constexpr int long_blocks = 2;
inline constexpr int most_long_pairs = 48;

/// A block of y with long rows, as Block.
struct LongBlock {
  std::int64_t y;  ///< its first element
  std::int32_t layout;
  std::int32_t coulomb;  ///< of the class in a row of the major spin's CoulombTable
  std::int32_t stride;   ///< of the panel
  std::int32_t columns;
  std::int32_t first_item, last_item;
  std::int32_t
      half;  ///< 1: its own mirror image: takes pq > rs and half of pq = rs, and no excitation to itself
};

/// Opposite-spin excitations through some pairs rs of one irrep from one minor class to another, as Item; its t has whole
/// eights of pairs for long_columns columns at a time.
struct LongItem {
  std::int64_t source;       ///< the source panel in x
  std::int32_t first_range;  ///< of the excitations of the class's first string in `ranges`
  std::int32_t stride;       ///< of the source panel
  std::int32_t first_pair;   ///< in `pairs`
  std::int32_t num_pairs;
  std::int32_t first_walk;  ///< [tiles][long_warps]
};

/// Where a warp adds t of a tile to y: words of its lanes, [size][lanes]. A lane does one target after the other, no two
/// lanes the same. The first word of a target has it from bit entry_bits on, where rows are short enough together
/// with the target's first entry; the others have two entries each. An entry is 2 * place in t + sign. The last
/// word of a target has the highest bit set, in all lanes at once.
struct Walk {
  std::int32_t first;  ///< in whole words of all lanes
  std::int32_t size;
};

inline constexpr int entry_bits = 15;
inline constexpr std::uint32_t entry_mask = (1U << entry_bits) - 1;
inline constexpr std::uint32_t last_word = 1U << 31;
/// Targets in a word beside an entry, and alone. The greatest is none.
inline constexpr std::uint32_t short_target_mask = 0xffffU;
inline constexpr std::uint32_t long_target_mask = last_word - 1;

/// Words of a walk that a warp has in shared memory at a time.
inline constexpr int walk_words = 16;
inline constexpr std::int64_t walk_bytes = sizeof(std::uint32_t) * warp_size * long_warps * walk_words;

/// Elements between the pairs of a t of long_columns columns.
inline constexpr int long_ld = long_columns + t_padding;

template <template <class> class Array>
struct LongRowArrays {
  Array<LongBlock> blocks;
  Array<LongItem> items;
  Array<Walk> walks;
  Array<std::uint32_t> words;
  Array<RowTask> tasks;  ///< the costly ones first

  static auto members(auto& of) { return std::tie(of.blocks, of.items, of.walks, of.words, of.tasks); }
};

}  // namespace cisolve::cuda::direct
