// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/layout/layout_plan.hpp"

#include <algorithm>

#include "cisolve/hamiltonian/direct_product.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Adds tiles of the strings of an alpha class, layout_square at a time.
class TileLister {
public:
  TileLister(const cisolve::DirectProduct& host, LayoutArrays<HostArray>& to)
      : host_(host), blocks_(host.tables().blocks), by_alpha_(host.tables().alpha_major),
        by_beta_(host.tables().beta_major), to_(to) {}

  void add_class(int c) {
    for (std::int32_t first = 0; first < blocks_.alpha.size(c); first += layout_square)
      add_strings(c, first, std::min(layout_square, blocks_.alpha.size(c) - first));
  }

private:
  void add_strings(int c, std::int32_t first, std::int32_t count) {
    const std::int32_t ordinal = blocks_.alpha.offsets[c] + first;
    const auto rows = std::ssize(to_.piece_rows);
    for (std::int32_t k = 0; k < count; ++k) {
      for (const auto& piece : host_.pieces_of(ordinal + k))
        to_.piece_rows.push_back({piece.row, piece.gather});
    }
    const auto pieces = host_.pieces_of(ordinal);
    const BlockLayout::Panel& transposed = by_beta_.panels[c];
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const auto& [row, gather, d, position, size] = pieces[p];
      const BlockLayout::Panel& panel = by_alpha_.panels[d];
      const auto square = static_cast<std::int32_t>(to_.square_tiles.size());
      const std::int32_t squares = (size + layout_square - 1) / layout_square;
      to_.square_tiles.insert(to_.square_tiles.end(), squares, static_cast<std::int32_t>(to_.tiles.size()));
      to_.tiles.push_back(
          {.rows = rows + static_cast<std::int64_t>(p),
           .by_alpha = panel.offset + (by_alpha_.row(d, c) + first) * panel.stride + position,
           .by_beta = transposed.offset + (by_beta_.row(c, d) + position) * transposed.stride + first,
           .pieces = static_cast<std::int32_t>(pieces.size()),
           .alpha_strings = count,
           .beta_strings = size,
           .alpha_stride = static_cast<std::int32_t>(panel.stride),
           .beta_stride = static_cast<std::int32_t>(transposed.stride),
           .first_square = square});
    }
  }

  const cisolve::DirectProduct& host_;
  const BlockStructure& blocks_;
  const BlockLayout& by_alpha_;
  const BlockLayout& by_beta_;
  LayoutArrays<HostArray>& to_;
};

}  // namespace

LayoutPlan::LayoutPlan(const cisolve::DirectProduct& host)
    : places(host.tables().blocks.places), num_rows(host.size()) {
  TileLister lister(host, arrays);
  for (int c = 0; c < host.tables().blocks.alpha.count(); ++c) lister.add_class(c);
}

}  // namespace cisolve::cuda::direct
