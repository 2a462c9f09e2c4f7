// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <tuple>

#include "cisolve/core/array.hpp"
#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/coded_matrix.hpp"

namespace cisolve {

/// Where the coded words of a CodedMatrix go when its columns are cut into tiles; see ColumnTiles.
template <template <class> class Array>
struct ColumnTileTables {
  Array<std::int32_t> first_slices;
  Array<std::int64_t> word_offsets;
  Array<std::int64_t> sum_offsets;
  Array<std::int32_t> sums;

  static auto members(auto& of) {
    return std::tie(of.first_slices, of.word_offsets, of.sum_offsets, of.sums);
  }
};

/// A second layout of the coded words of a CodedMatrix, for products that hold the part of x that belongs to one tile of
/// columns where a gather costs the same wherever it goes: the shared memory of a multiprocessor.
///
/// What a row has in a tile is a *piece*, or, beyond 256 words, several. Its words stand in chunks of four, each a sign and a
/// code as in a CodedMatrix and, in place of the distance, the column within the tile. The pieces of a tile are sorted by length inside blocks of
/// 2048 rows and cut into *tile slices* of 32, one a lane, all padded to the longest with words 0. The sum of a piece is
/// that of its lane in its tile slice; the sums of a row's pieces are added up in the order of the tiles.
///
/// | array | shape | element |
/// |---|---|---|
/// | `first_slices` | [tiles + 1] | first tile slice of a tile |
/// | `word_offsets` | [tile slices + 1] | first chunk of a tile slice; a chunk is [32][4] words |
/// | `sum_offsets` | [slices + 1] | before the pieces of the rows of a slice of the CodedMatrix |
/// | `sums` | [sum_offsets.back()][32] | 32 times its tile slice plus its lane, of a row's next piece; -1: none |
struct ColumnTiles : ColumnTileTables<Array> {
  std::int32_t width = 0;       ///< columns of a tile, the last may have fewer
  std::int64_t num_pieces = 0;  ///< of all rows

  std::int64_t num_tiles() const noexcept { return static_cast<std::int64_t>(first_slices.size()) - 1; }
  std::int64_t num_slices() const noexcept { return static_cast<std::int64_t>(word_offsets.size()) - 1; }
  std::int64_t num_chunks() const noexcept { return word_offsets[word_offsets.size() - 1]; }
};

inline constexpr std::int32_t widest_tile = 65504;  ///< columns within a tile have 16 bits

/// Words of a piece. One lane goes through them: without a bound the few rows that have most of a matrix, such as that of the
/// Hartree-Fock determinant, are what a product waits for.
inline constexpr int longest_piece = 256;

inline constexpr std::int64_t most_tile_slices = std::int64_t{1} << 26;

/// Words of a piece, on average over slices spread over the matrix; 0 for a matrix without coded entries.
double mean_piece(const CodedMatrix& a, std::int32_t width);

/// The layout, worked out with all threads; the result does not depend on their number.
/// @param width  1 .. widest_tile
/// @throws DimensionError if there are most_tile_slices or more, or the width is not as described
/// @throws std::bad_alloc if the system refuses the memory
ColumnTiles make_column_tiles(const CodedMatrix& a, std::int32_t width);

}  // namespace cisolve
