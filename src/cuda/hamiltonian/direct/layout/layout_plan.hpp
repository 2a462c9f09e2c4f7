// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve {
class DirectProduct;
struct StringShares;
}  // namespace cisolve

// What moves vectors between the order of the space and the layouts.
namespace cisolve::cuda::direct {

struct ExchangePlan;

/// Where a string has consecutive beta strings of a class in the space: the j-th at row + j, or where `gather` is not
/// negative at row + places[gather + j].
struct PieceRows {
  std::int64_t row;
  std::int64_t gather;
};

/// Determinants of at most 32 alpha strings of a class with some consecutive beta strings of a class.
struct LayoutTile {
  std::int64_t rows;  ///< piece_rows[rows + k * pieces]: where string k has them in the space
  std::int64_t by_alpha,
      by_beta;          ///< first element of x in both layouts; of a rank, by_beta is in what others give it
  std::int64_t y;       ///< of y in layout 0
  std::int32_t pieces;  ///< of each string
  std::int32_t first_place;  ///< beta strings of the piece before the tile's
  std::int32_t alpha_strings, beta_strings;
  std::int32_t alpha_stride, beta_stride;
  std::int32_t first_square;  ///< squares of the tiles before
};

/// Strings of either spin that a square of a LayoutTile has at most.
inline constexpr int layout_square = 32;

template <template <class> class Array>
struct LayoutArrays {
  Array<LayoutTile> tiles;
  Array<std::int32_t> square_tiles;  ///< tile of each square
  Array<PieceRows> piece_rows;

  static auto members(auto& of) { return std::tie(of.tiles, of.square_tiles, of.piece_rows); }
};

struct LayoutPlan {
  LayoutArrays<HostArray> arrays;
  HostView<std::int32_t> places;  ///< of the host's BlockStructure
  std::int64_t num_rows;          ///< elements of the diagonal, which the host may not know yet

  /// All rows of the space.
  explicit LayoutPlan(const cisolve::DirectProduct& host);

  /// Those of a rank, numbered as RowMap numbers them.
  LayoutPlan(const cisolve::DirectProduct& host, const StringShares& shares, const ExchangePlan& exchange);
};

}  // namespace cisolve::cuda::direct
