// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/layout/layout_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"
#include "cuda/hamiltonian/direct/layout/exchange_plan.hpp"
#include "cuda/hamiltonian/direct/own_rows.hpp"

namespace cisolve::cuda::direct {
namespace {

using Tile = cisolve::DirectProduct::Tile;

/// Rows of the own alpha strings.
RowMap own_rows_of(const cisolve::DirectProduct& host, const StringShares& shares) {
  const StringClasses& alpha = host.tables().blocks.alpha;
  std::map<std::int64_t, std::int64_t> runs;  // rows by the first, of all pieces of a run
  for (int c = 0; c < alpha.count(); ++c) {
    const StringShares::Range own = shares.own(alpha.size(c));
    for (std::int32_t k = own.first; k < own.last; ++k) {
      for (const auto& piece : host.pieces_of(alpha.offsets[c] + k)) runs[piece.row] += piece.size;
    }
  }
  return RowMap(host.size(), {runs.begin(), runs.end()});
}

/// Lists tiles and where their strings have rows.
class TileLists {
public:
  TileLists(const cisolve::DirectProduct& host, LayoutArrays<HostArray>& to) : host_(host), to_(to) {}

  /// add(tile, LayoutTile) for the tiles of some strings of an alpha class.
  /// @param row_of  number of a row of the space
  template <class RowOf, class Add>
  void add_tiles(int c, std::int32_t first, std::int32_t count, const RowOf& row_of, const Add& add) {
    const std::int32_t ordinal = host_.tables().blocks.alpha.offsets[c] + first;
    const auto rows = std::ssize(to_.piece_rows);
    for (std::int32_t k = 0; k < count; ++k) {
      for (const auto& piece : host_.pieces_of(ordinal + k))
        to_.piece_rows.push_back({row_of(piece.row), piece.gather});
    }
    const auto pieces = static_cast<std::int32_t>(host_.pieces_of(ordinal).size());
    host_.for_each_tile(c, first, count, [&](const Tile& tile) {
      add(tile, LayoutTile{.rows = rows + static_cast<std::int64_t>(tile.piece),
                           .by_alpha = tile.by_alpha,
                           .by_beta = tile.by_beta,
                           .y = tile.by_alpha,
                           .pieces = pieces,
                           .first_place = 0,
                           .alpha_strings = count,
                           .beta_strings = tile.beta_strings,
                           .alpha_stride = static_cast<std::int32_t>(tile.alpha_stride),
                           .beta_stride = static_cast<std::int32_t>(tile.beta_stride),
                           .first_square = 0});
    });
  }

  void push(LayoutTile tile) {
    tile.first_square = static_cast<std::int32_t>(to_.square_tiles.size());
    const std::int32_t squares = (tile.beta_strings + layout_square - 1) / layout_square;
    to_.square_tiles.insert(to_.square_tiles.end(), squares, static_cast<std::int32_t>(to_.tiles.size()));
    to_.tiles.push_back(tile);
  }

private:
  const cisolve::DirectProduct& host_;
  LayoutArrays<HostArray>& to_;
};

}  // namespace

LayoutPlan::LayoutPlan(const cisolve::DirectProduct& host)
    : places(host.tables().blocks.places), num_rows(host.size()) {
  const StringClasses& alpha = host.tables().blocks.alpha;
  TileLists lists(host, arrays);
  for (int c = 0; c < alpha.count(); ++c) {
    for (std::int32_t first = 0; first < alpha.size(c); first += layout_square)
      lists.add_tiles(
          c, first, std::min(layout_square, alpha.size(c) - first), [](std::int64_t row) { return row; },
          [&](const Tile&, const LayoutTile& tile) { lists.push(tile); });
  }
}

LayoutPlan::LayoutPlan(const cisolve::DirectProduct& host, const StringShares& shares,
                       const ExchangePlan& exchange)
    : places(host.tables().blocks.places) {
  const RowMap map = own_rows_of(host, shares);
  num_rows = map.local_rows();
  const Side side(host.tables(), 0, shares);
  TileLists lists(host, arrays);
  const auto row_of = [&](std::int64_t row) { return map.local_below(row); };
  for (int c = 0; c < side.major.count(); ++c) {
    const StringShares::Range own = side.own.range(c);
    for (std::int32_t first = own.first; first < own.last; first += layout_square) {
      const auto add = [&](const Tile& of, LayoutTile tile) {
        const auto& piece = host.pieces_of(of.ordinal)[of.piece];
        const int d = piece.beta_class;
        tile.y = side.own.origin(d, c) + first * of.alpha_stride + piece.position;
        tile.beta_stride = own.size();
        // A tile for every rank from which by_beta comes.
        const std::int32_t end = piece.position + piece.size;
        for (std::int32_t at = piece.position; at < end;) {
          const int from = shares.owner(at, side.minor.size(d));
          const StringShares::Range theirs = shares.of(from, side.minor.size(d));
          LayoutTile part = tile;
          part.first_place = at - piece.position;
          part.by_alpha += part.first_place;
          part.y += part.first_place;
          part.by_beta = exchange.block(from, c, d) +
                         static_cast<std::int64_t>(at - theirs.first) * own.size() + first - own.first;
          part.beta_strings = std::min(end, theirs.last) - at;
          lists.push(part);
          at += part.beta_strings;
        }
      };
      lists.add_tiles(c, first, std::min(layout_square, own.last - first), row_of, add);
    }
  }
}

}  // namespace cisolve::cuda::direct
