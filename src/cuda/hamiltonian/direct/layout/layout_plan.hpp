// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve {
class DirectProduct;
}

// What moves vectors between the order of the space and the layouts.
namespace cisolve::cuda::direct {

/// Where a string has consecutive beta strings of a class in the space: the j-th at row + j, or where `gather` is not
/// negative at row + places[gather + j].
struct PieceRows {
  std::int64_t row;
  std::int64_t gather;
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
  std::int64_t num_rows;          ///< of the space: elements of the diagonal, which the host may not know yet

  explicit LayoutPlan(const cisolve::DirectProduct& host);

private:
  void add_tiles(const cisolve::DirectProduct& host, int c, std::int32_t first, std::int32_t count);
};

}  // namespace cisolve::cuda::direct
