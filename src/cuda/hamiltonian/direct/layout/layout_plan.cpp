// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/layout/layout_plan.hpp"

#include <algorithm>

#include "cisolve/hamiltonian/direct_product.hpp"

namespace cisolve::cuda::direct {
LayoutPlan::LayoutPlan(const cisolve::DirectProduct& host)
    : places(host.tables().blocks.places), num_rows(host.size()) {
  const StringClasses& alpha = host.tables().blocks.alpha;
  for (int c = 0; c < alpha.count(); ++c) {
    for (std::int32_t first = 0; first < alpha.size(c); first += layout_square)
      add_tiles(host, c, first, std::min(layout_square, alpha.size(c) - first));
  }
}

/// Adds the tiles of some strings of an alpha class.
void LayoutPlan::add_tiles(const cisolve::DirectProduct& host, int c, std::int32_t first,
                           std::int32_t count) {
  const std::int32_t ordinal = host.tables().blocks.alpha.offsets[c] + first;
  const auto rows = std::ssize(arrays.piece_rows);
  for (std::int32_t k = 0; k < count; ++k) {
    for (const auto& piece : host.pieces_of(ordinal + k))
      arrays.piece_rows.push_back({piece.row, piece.gather});
  }
  const auto pieces = static_cast<std::int32_t>(host.pieces_of(ordinal).size());
  host.for_each_tile(c, first, count, [&](const cisolve::DirectProduct::Tile& tile) {
    const auto square = static_cast<std::int32_t>(arrays.square_tiles.size());
    const std::int32_t squares = (tile.beta_strings + layout_square - 1) / layout_square;
    arrays.square_tiles.insert(arrays.square_tiles.end(), squares,
                               static_cast<std::int32_t>(arrays.tiles.size()));
    arrays.tiles.push_back({.rows = rows + static_cast<std::int64_t>(tile.piece),
                            .by_alpha = tile.by_alpha,
                            .by_beta = tile.by_beta,
                            .pieces = pieces,
                            .alpha_strings = count,
                            .beta_strings = tile.beta_strings,
                            .alpha_stride = static_cast<std::int32_t>(tile.alpha_stride),
                            .beta_stride = static_cast<std::int32_t>(tile.beta_stride),
                            .first_square = square});
  });
}

}  // namespace cisolve::cuda::direct
