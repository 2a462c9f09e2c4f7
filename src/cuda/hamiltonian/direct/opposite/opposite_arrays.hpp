// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "cuda/hamiltonian/direct/types.hpp"

// Opposite-spin sums of rows whose t fits into shared memory, for some pairs rs at a time.
namespace cisolve::cuda::direct {

/// Warps of a block of threads that works on a row, where it has a multiprocessor to itself; and where two share one:
/// there is less to share out, and with fewer warps, each has more registers and waits less for the others.
inline constexpr int most_warps = 16;
inline constexpr int few_warps = 12;
/// Columns that a warp gathers at a time: a slice of a gather table.
inline constexpr int slice_columns = 32;
/// Entries of a column that lie side by side in a gather table.
inline constexpr int entry_group = 8;
/// Pairs rs that a block of threads works on at a time.
inline constexpr int most_pairs = 32;

/// Opposite-spin excitations through a few pairs rs of one irrep from one minor class to another:
///   t(rs, j) = sum over excitations pq of the major string, from string k, of +-(pq|rs) x(k, j),
///   y(i)    += sum over the excitations rs of i, from j, of +-t(rs, j).
struct Item {
  std::int64_t source;            ///< the source panel in x
  std::int32_t first_range;       ///< of the excitations of the class's first string in `ranges`
  std::int32_t stride;            ///< of the source panel
  std::int32_t first_pair;        ///< in `pairs`
  std::int32_t num_pairs;         ///< at most most_pairs
  std::int32_t num_excitations;   ///< in whole steps: the most of any string of the major class
  std::int32_t first_excitation;  ///< among those of the phase
  std::int32_t
      factors;  ///< where its factors lie in the phase's, [num_excitations][whole eights of pairs + padding]
  std::int32_t t;  ///< where its t lies, [num_pairs][stride + t_padding]
};

/// Where a warp begins in a phase: a tile of tile_columns columns of an item's t.
struct Share {
  std::int32_t item, tile;
};

/// Items whose t a block of threads holds at a time.
struct Phase {
  std::int64_t first_entry;  ///< of the gather table, in groups of entry_group entries
  std::int32_t first_slice;  ///< in slice_offsets
  std::int32_t first_item, num_items;
  std::int32_t first_step;       ///< in step_items
  std::int32_t num_excitations;  ///< of all items
  std::int32_t nothing;          ///< place in t that is zero
  std::int32_t size;             ///< elements of a Pack
  std::int32_t next_size;        ///< of the same block's next phase; 0: it was the last
  /// Tiles in order, item after item, in shares of about equal work; the last is the end.
  Share shares[most_warps + 1];
};

/// Elements of a pack, what a block of threads needs of a phase for a row: the phase, its items with num_excitations as the
/// row has them, where in x the rows of the sources begin, and the factors. Whole 16 bytes.
constexpr std::int64_t pack_size(std::int64_t items, std::int64_t excitations, std::int64_t factors) {
  constexpr std::int64_t phase_size = sizeof(Phase) / sizeof(double),
                         item_size = sizeof(Item) / sizeof(double);
  static_assert(sizeof(Phase) % sizeof(double) == 0 && sizeof(Item) % sizeof(double) == 0);
  return (phase_size + item_size * items + excitations + factors + 1) / 2 * 2;
}

/// Of a Block: y is added to. Places of the strings of other ranks may be negative.
inline constexpr std::int32_t no_same_spin = std::numeric_limits<std::int32_t>::min();

/// A block of y: the strings of a major class, the columns of a minor class. Where a rank has some of the strings only, what
/// is said of the class's first string is where it would be.
struct Block {
  std::int64_t y;      ///< its first element
  std::int64_t panel;  ///< first element of its panel
  std::int32_t layout;
  std::int32_t coulomb;  ///< of the class in a row of the major spin's CoulombTable
  std::int32_t stride;   ///< of the panel
  std::int32_t columns;
  std::int32_t first_phase, last_phase;
  std::int64_t first_pack;  ///< of the class's first string in `packs`, element
  std::int64_t row_size;    ///< elements of the packs of a string
  std::int32_t pack_room;   ///< elements of the largest of its packs, rather more
  std::int32_t
      half;  ///< 1: its own mirror image: takes pq > rs and half of pq = rs, and no excitation to itself
  /// Place of the class's first string in same_spin_offsets, if its same-spin excitations are summed here and y is
  /// written; or no_same_spin.
  std::int32_t first_same_spin;
};

/// What packs are made from, and rows of blocks.
template <template <class> class Array>
struct PhaseArrays {
  Array<Block> blocks;
  Array<Phase> phases;
  Array<Item> items;
  Array<std::int32_t> step_items;  ///< item of every excitation_step excitations of a phase
  Array<RowTask> tasks;            ///< the costly ones first

  static auto members(auto& of) { return std::tie(of.blocks, of.phases, of.items, of.step_items, of.tasks); }
};

/// What is added up behind t, and the same-spin part of blocks that have one.
template <template <class> class Array>
struct GatherArrays {
  Array<std::int32_t> slice_offsets;      ///< [slices + 1] of each phase, groups
  Array<std::uint16_t> entries;           ///< 2 * place in t + sign
  Array<std::int64_t> same_spin_offsets;  ///< [strings + 1] of each block that sums same-spin excitations
  Array<double> same_spin_values;         ///< hartree, phase included
  Array<std::int32_t> same_spin_rows;     ///< of the sources in the panel

  static auto members(auto& of) {
    return std::tie(of.slice_offsets, of.entries, of.same_spin_offsets, of.same_spin_values,
                    of.same_spin_rows);
  }
};

}  // namespace cisolve::cuda::direct
