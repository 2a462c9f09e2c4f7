// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/direct_problem.hpp"
#include "cuda/hamiltonian/direct/plan.hpp"

// Plans of several ranks, and what they give each other, in host memory.
namespace cisolve::cuda::ranked_plans {

using cisolve::test::DirectProblem;

/// Plans of all ranks.
inline std::vector<direct::DirectPlan> plans_of(const DirectProblem& problem, int ranks,
                                                const DirectConfig& config = {}) {
  std::vector<direct::DirectPlan> plans;
  for (int rank = 0; rank < ranks; ++rank) {
    const StringShares shares{ranks, rank};
    plans.emplace_back(problem.host, config, &shares);
  }
  return plans;
}

/// A row of y: layout, minor class, major class, string.
using Row = std::tuple<int, int, int, int>;

/// Rows of y by layout and first element.
inline std::map<std::pair<int, std::int64_t>, Row> rows_of_y(const DirectProblem& problem,
                                                             const StringShares& shares) {
  std::map<std::pair<int, std::int64_t>, Row> rows;
  for (int layout = 0; layout < 2; ++layout) {
    const direct::Side side(problem.host.tables(), layout, shares);
    for (int d = 0; d < side.minor.count(); ++d) {
      for (int c = 0; c < side.major.count(); ++c) {
        if (side.layout.row(d, c) < 0) continue;
        for (std::int32_t k = side.own.range(c).first; k < side.own.range(c).last; ++k)
          rows[{layout, side.own.origin(d, c) + k * side.panel(d).stride}] = {layout, d, c, k};
      }
    }
  }
  return rows;
}

/// What an item multiplies for a string: the source panel, its pairs rs, rows of sources, codes.
using Sums = std::vector<std::vector<std::int64_t>>;

template <class AnyItem>
std::vector<std::int64_t> sums_of(const direct::DirectPlan& plan, const AnyItem& item, std::int32_t string) {
  std::vector<std::int64_t> sums{item.source, item.num_pairs};
  for (int k = 0; k < item.num_pairs; ++k) {
    const direct::Pair& pair = plan.excitations.pairs[item.first_pair + k];
    sums.insert(sums.end(), {pair.pair, pair.coulomb_row});
  }
  const direct::Range range = plan.excitations.ranges[item.first_range + string];
  for (int k = 0; k < range.size; ++k) {
    const direct::Excitation& excitation = plan.excitations.excitations[range.first + k];
    sums.insert(sums.end(), {excitation.row, excitation.code});
  }
  return sums;
}

/// What ranks give each other, in host memory.
struct Ranks {
  std::vector<direct::DirectPlan> plans;

  /// Copies pieces of all ranks' arrays.
  void exchange(std::vector<direct::RankPiece> direct::ExchangePlan::*give,
                std::vector<direct::RankPiece> direct::ExchangePlan::*take,
                std::vector<std::vector<double>>& arrays) const {
    exchange_pieces([give](const auto& plan) { return *plan.exchange.*give; },
                    [take](const auto& plan) { return *plan.exchange.*take; }, arrays);
  }

  /// @param give, take  pieces of a plan
  template <class Give, class Take>
  void exchange_pieces(const Give& give, const Take& take, std::vector<std::vector<double>>& arrays) const {
    const std::vector<std::vector<double>> before = arrays;
    for (std::size_t to = 0; to < plans.size(); ++to) {
      std::vector<std::vector<direct::RankPiece>> given(plans.size());
      for (std::size_t from = 0; from < plans.size(); ++from) {
        for (const direct::RankPiece& piece : give(plans[from])) {
          EXPECT_NE(piece.rank, static_cast<int>(from));
          if (piece.rank == static_cast<int>(to)) given[from].push_back(piece);
        }
        std::ranges::reverse(given[from]);
      }
      for (const direct::RankPiece& piece : take(plans[to])) {
        ASSERT_FALSE(given[piece.rank].empty());
        const direct::RankPiece from = given[piece.rank].back();
        given[piece.rank].pop_back();
        ASSERT_EQ(from.size, piece.size);
        ASSERT_LE(piece.first + piece.size, std::ssize(arrays[to]));
        std::copy_n(before[piece.rank].begin() + from.first, from.size, arrays[to].begin() + piece.first);
      }
      for (const auto& left : given) EXPECT_TRUE(left.empty());
    }
  }
};

inline void copy(const direct::Rectangles& rectangles, bool transposed, const std::vector<double>& from,
                 std::vector<double>& to) {
  for (const direct::Rectangle& r : rectangles.list) {
    for (int i = 0; i < r.rows; ++i) {
      for (int j = 0; j < r.columns; ++j)
        to.at(r.to + (transposed ? r.to_stride * j + i : r.to_stride * i + j)) =
            from.at(r.from + r.from_stride * i + j);
    }
  }
}

/// visit(local row, tile, row of the tile, column) for all rows of a layout plan.
template <class Visit>
void for_each_row(const direct::LayoutPlan& layout, const Visit& visit) {
  for (const direct::LayoutTile& tile : layout.arrays.tiles) {
    for (int k = 0; k < tile.alpha_strings; ++k) {
      const direct::PieceRows piece = layout.arrays.piece_rows[tile.rows + std::int64_t{k} * tile.pieces];
      for (int j = 0; j < tile.beta_strings; ++j) {
        const int place = tile.first_place + j;
        visit(piece.row + (piece.gather < 0 ? place : layout.places[piece.gather + place]), tile, k, j);
      }
    }
  }
}

/// A vector by alpha, the elements of which are their numbers in the space.
inline std::vector<double> numbers_by_alpha(const DirectProblem& problem) {
  std::vector<double> x(problem.host.tables().alpha_major.size, -1.0);
  for_each_row(direct::LayoutPlan(problem.host), [&](std::int64_t row, const auto& tile, int k, int j) {
    x[tile.by_alpha + std::int64_t{k} * tile.alpha_stride + j] = static_cast<double>(row);
  });
  return x;
}

}  // namespace cisolve::cuda::ranked_plans
