// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// What the kernels of a direct product read, in arrays made by DirectPlan. "Layout" 0 has alpha strings as rows
// (major) and beta strings as columns (minor), layout 1 the reverse.
namespace cisolve::cuda::direct {

/// Threads that work in step.
inline constexpr int warp_size = 32;

/// Warps of a block of threads that works on a row, where it has a multiprocessor to itself; and where two share one:
/// there is less to share out, and with fewer warps, each has more registers and waits less for the others.
inline constexpr int most_warps = 16;
inline constexpr int few_warps = 12;
/// Columns of t that a warp makes at a time.
inline constexpr int tile_columns = 16;
/// Columns that a warp gathers at a time: a slice of a gather table.
inline constexpr int slice_columns = 32;
/// Entries of a column that lie side by side in a gather table.
inline constexpr int entry_group = 8;
/// Pairs rs that a block works on at a time.
inline constexpr int most_pairs = 32;
/// Warps of a block of threads that works on a long row, and columns of t that it makes at a time.
inline constexpr int tiled_warps = 8;
inline constexpr int tiled_columns = tiled_warps * tile_columns;
/// Such blocks that share a multiprocessor if there is room, and pairs rs that one works on at a time: a warp keeps the sums of
/// tile_columns columns for all of them in registers.
inline constexpr int tiled_blocks = 2;
inline constexpr int most_tiled_pairs = 48;
/// Excitations of a string are padded by factors of zero to multiples of this.
inline constexpr int link_step = 8;
inline std::int64_t whole_steps(std::int64_t n) { return (n + link_step - 1) / link_step * link_step; }
/// Rows of factors are so much longer than whole eights of pairs, to start in different banks.
inline constexpr int factor_padding = 4;

/// Rows of t are so much longer than those of x, whose length is a multiple of 8: a warp's stores then fall into
/// different banks.
inline constexpr int t_padding = 2;

/// The code of the excitation p = q of a string to itself: its factor is the sum over its orbitals p of (pp|rs).
inline constexpr std::uint32_t self_code = 0xffffffffU;

/// A single excitation of a major string.
struct Link {
  std::int32_t row;    ///< of the source string in the source panel
  std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative), or self_code
};

/// The row of a pair r = s.
inline constexpr std::int32_t same_orbital = -2;

/// Consecutive links.
struct Range {
  std::int32_t first, size;
};

/// Pair rs of the minor spin.
struct Pair {
  std::int32_t pair;
  std::int32_t coulomb_row;  ///< in the CoulombTable, -1: not totally symmetric; or same_orbital
};

/// Opposite-spin excitations through a few pairs rs of one irrep from one minor class to another:
///   t(rs, j) = sum over excitations pq of the major string, from string k, of +-(pq|rs) x(k, j),
///   y(i)    += sum over the excitations rs of i, from j, of +-t(rs, j).
struct Item {
  std::int64_t source;       ///< the source panel in x
  std::int32_t first_range;  ///< of the links of the class's first string in `ranges`
  std::int32_t stride;       ///< of the source panel
  std::int32_t first_pair;   ///< in `pairs`
  std::int32_t num_pairs;    ///< at most most_pairs
  std::int32_t num_links;    ///< in whole steps: the most of any string of the major class
  std::int32_t first_link;   ///< among those of the phase
  std::int32_t
      factors;     ///< where its factors lie in the phase's, [num_links][whole eights of pairs + padding]
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
  std::int32_t first_step;  ///< in step_items
  std::int32_t num_links;   ///< of all items
  std::int32_t nothing;     ///< place in t that is zero
  std::int32_t size;        ///< elements of a Pack
  std::int32_t next_size;   ///< of the same block's next phase; 0: it was the last
  /// Tiles in order, item after item, in shares of about equal work; the last is the end.
  Share shares[most_warps + 1];
};

/// Elements of a pack, what a block of threads needs of a phase for a row: the phase, its items with num_links as the
/// row has them, where in x the rows of the sources begin, and the factors. Whole 16 bytes.
constexpr std::int64_t pack_size(std::int64_t items, std::int64_t links, std::int64_t factors) {
  constexpr std::int64_t phase_size = sizeof(Phase) / sizeof(double),
                         item_size = sizeof(Item) / sizeof(double);
  static_assert(sizeof(Phase) % sizeof(double) == 0 && sizeof(Item) % sizeof(double) == 0);
  return (phase_size + item_size * items + links + factors + 1) / 2 * 2;
}

/// A block of y: the strings of a major class, the columns of a minor class.
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
  std::int32_t half;  ///< 1: its own mirror image: takes pq > rs and half of pq = rs, and no link to itself
  std::int32_t
      first_own;  ///< of the class's first string in own_offsets, if its same-spin excitations are summed
                  ///< here and y is written; -1: y is added to
};

/// A row of a block, worked on by one block of threads.
struct RowTask {
  std::int32_t block;
  std::int32_t string;  ///< in the class
};

/// A block of y with long rows, which are worked on a tile of source columns at a time.
struct TiledBlock {
  std::int64_t y;  ///< its first element
  std::int32_t layout;
  std::int32_t coulomb;  ///< of the class in a row of the major spin's CoulombTable
  std::int32_t stride;   ///< of the panel
  std::int32_t columns;
  std::int32_t first_item, last_item;
  std::int32_t half;  ///< as in Block
};

/// As Item, with a t of whole eights of pairs for tiled_columns columns at a time.
struct TiledItem {
  std::int64_t source;       ///< the source panel in x
  std::int32_t first_range;  ///< of the links of the class's first string in `ranges`
  std::int32_t stride;       ///< of the source panel
  std::int32_t first_pair;   ///< in `pairs`
  std::int32_t num_pairs;
  std::int32_t first_walk;  ///< [tiles][tiled_warps]
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
inline constexpr std::int64_t walk_bytes = sizeof(std::uint32_t) * warp_size * tiled_warps * walk_words;

/// Elements between the pairs of a t of tiled_columns columns.
inline constexpr int tiled_ld = tiled_columns + t_padding;

/// Same-spin excitations into the strings of a major class, for the columns of a panel, by warps.
struct OwnSegment {
  std::int64_t y;           ///< its first element
  std::int64_t panel;       ///< first element of the panel
  std::int64_t first_warp;  ///< warps of the segments before
  std::int32_t layout;
  std::int32_t minor_class;
  std::int32_t major_class;
  std::int32_t strings;
  std::int32_t first_ordinal;
  std::int32_t stride;
  std::int32_t lanes;         ///< across columns, 1 to 32; the others share out excitations
  std::int32_t column_tiles;  ///< of 2 * lanes columns
};

/// Excitations of a target string from the strings of one class.
struct OwnGroup {
  std::int64_t first;
  std::int32_t size;
  std::int32_t source_class;
};

/// Where a string has consecutive beta strings of a class in the space: the j-th at row + j, or where `gather` is not
/// negative at row + places[gather + j].
struct PieceRows {
  std::int64_t row;
  std::int64_t gather;
};

/// Rows of y that a block of threads makes at a time by a dense matrix, columns of a tile, tiles.
inline constexpr int dense_targets = 32;
inline constexpr int dense_columns = 16;
inline constexpr int most_dense_tiles = 4;
/// Rows of x that it multiplies at a time.
inline constexpr int dense_rows = 32;

/// Rows of a dense matrix and of x in shared memory; lengths of rows by which a warp's loads are in different banks.
struct DenseStage {
  static constexpr int matrix_ld = dense_targets + 4;
  static constexpr int x_ld = dense_columns + 4;
  double matrix[dense_rows][matrix_ld];
  double x[most_dense_tiles][dense_rows][x_ld];
};
inline constexpr int dense_stages = 3;

/// Some columns of a panel, to whose rows the same-spin Hamiltonian is applied as a dense matrix.
struct DenseTile {
  std::int64_t first;    ///< the first element in x and y
  std::int32_t stride;   ///< of the panel
  std::int32_t columns;  ///< up to dense_columns, padding included
  std::int32_t layout;
};

/// Up to most_dense_tiles that share a matrix.
struct DenseGroup {
  std::int64_t matrix;  ///< its first element; [rows in whole dense_rows][ld]
  std::int32_t rows;
  std::int32_t ld;  ///< rows, in whole dense_targets
  std::int32_t first_tile, num_tiles;
  std::int32_t first_block;  ///< blocks of threads of the groups before; there is one for dense_targets rows
};

/// Determinants of at most 32 alpha strings of a class with some consecutive beta strings of a class.
struct LayoutTile {
  std::int64_t rows;               ///< piece_rows[rows + k * pieces]: where string k has them in the space
  std::int64_t by_alpha, by_beta;  ///< first element in both layouts
  std::int32_t pieces;             ///< of each string
  std::int32_t alpha_strings, beta_strings;
  std::int32_t alpha_stride, beta_stride;
  std::int32_t first_square;  ///< squares of the tiles before
};

/// Strings of either spin that a square of a LayoutTile has at most.
inline constexpr int layout_square = 32;

/// Strings of a class whose same-spin Hamiltonian is applied as a dense matrix, or by projection.
struct DenseClass {
  int spin;
  int number;
  std::int32_t size, ld;
  std::int32_t projection;  ///< its number; -1: none
  std::int64_t resident;    ///< where its matrix stays in the buffer; -1: filled as it is needed
};

/// Columns that the intermediates of a ProjectionPlan are made for at a time, at least.
inline constexpr std::int32_t narrowest_strip = 128;
/// Intermediates of an item that a warp makes at a time, and strings from which it does.
inline constexpr std::int32_t projected_at_a_time = 56;
inline constexpr std::int32_t projected_from = 64;
/// Elements between the rows of W in shared memory, at most; bytes of W and of where rows of x are.
inline constexpr std::int32_t projected_ld = projected_at_a_time + factor_padding;
inline constexpr std::int64_t projected_bytes = 8 * projected_from * (projected_ld + 1);

/// The strings P + a + b of a class with the same P and irrep of ab.
struct ProjectionItem {
  std::int32_t first, size;  ///< entries, counted in the class
  std::int32_t ld;           ///< pairs ab of the irrep, rows of W
  std::int64_t matrix;       ///< first element of W
};

struct ProjectionEntry {
  std::int32_t string;  ///< in the class
  std::int32_t pair;    ///< 2 * pair ab in its irrep + (1 if the phase is negative)
};

/// A class of strings in a ProjectionPlan.
struct Projection {
  std::int32_t first_item, num_items;
  std::int64_t first_entry;
  std::int32_t num_entries;
  std::int32_t slots_per_string;
  std::int64_t
      first_slot;  ///< entries of a string, counted in the class: slots[first_slot + string * slots_per_string ...]
  std::int32_t width;  ///< columns for which intermediates are made at a time
};

}  // namespace cisolve::cuda::direct
