// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/layout/exchange_plan.hpp"

#include <utility>

namespace cisolve::cuda::direct {

void Rectangles::add(Rectangle rectangle) {
  if (rectangle.rows == 0 || rectangle.columns == 0) return;
  const auto squares = [](std::int32_t n) { return (n + rectangle_square - 1) / rectangle_square; };
  rectangle.first_square = num_squares;
  num_squares += squares(rectangle.rows) * squares(rectangle.columns);
  list.push_back(rectangle);
}

ExchangePlan::ExchangePlan(const DirectTables& tables, const StringShares& shares)
    : by_alpha_(tables, 0, shares), by_beta_(tables, 1, shares), num_alpha_(tables.blocks.alpha.count()),
      num_beta_(tables.blocks.beta.count()) {
  list_rows(shares);
  list_columns(shares);
}

void ExchangePlan::finish(bool parity, Layout1 layout_1, bool own_x) {
  if (own_x) pack_x = pack_y;
  if (!parity) pack_x = {};
  if (own_x) give_rows = take_rows = {};
  if (layout_1 != Layout1::none && own_x) {
    unpack_x = pack_y;
    for (Rectangle& rectangle : unpack_x.list) {
      std::swap(rectangle.from, rectangle.to);
      std::swap(rectangle.from_stride, rectangle.to_stride);
    }
  } else if (layout_1 != Layout1::none) {
    list_transposes(layout_1);
  } else if (!parity) {
    pack_y = {};
    give_columns = take_columns = {};
    buffer = 0;
  }
}

void ExchangePlan::list_rows(const StringShares& shares) {
  const Side& side = by_alpha_;
  for (int rank = 0; rank < shares.ranks; ++rank) {
    if (rank == shares.rank) continue;
    for (int panel = 0; panel < side.minor.count(); ++panel) {
      const std::int64_t stride = side.panel(panel).stride;
      for (int c = 0; c < side.major.count(); ++c) {
        if (side.layout.row(panel, c) < 0) continue;
        const auto add = [&](std::vector<RankPiece>& to, const StringShares::Range& strings) {
          if (strings.size() == 0) return;
          to.push_back(
              {rank, side.first_element(panel, c) + strings.first * stride, strings.size() * stride});
        };
        add(give_rows, side.own.range(c));
        add(take_rows, shares.of(rank, side.major.size(c)));
      }
    }
  }
}

void ExchangePlan::list_columns(const StringShares& shares) {
  const Side& side = by_beta_;  // beta strings are rows, alpha strings columns
  // body(alpha class, beta class) for all blocks.
  const auto for_each_block = [&](const auto& body) {
    for (int a = 0; a < side.minor.count(); ++a) {
      for (int b = 0; b < side.major.count(); ++b) {
        if (side.layout.row(a, b) >= 0) body(a, b);
      }
    }
  };
  const auto add_piece = [&](std::vector<RankPiece>& to, int rank, std::int64_t first) {
    if (rank != shares.rank && buffer > first) to.push_back({rank, first, buffer - first});
  };
  blocks_.resize(static_cast<std::size_t>(shares.ranks) * num_alpha_ * num_beta_);
  std::int64_t* block = blocks_.data();
  for (int from = 0; from < shares.ranks; ++from, block += num_alpha_ * num_beta_) {
    const std::int64_t first = buffer;
    for_each_block([&](int a, int b) {
      block[static_cast<std::size_t>(a) * num_beta_ + static_cast<std::size_t>(b)] = buffer;
      const std::int64_t rows = shares.of(from, side.major.size(b)).size();
      buffer += rows * shares.own(side.minor.size(a)).size();
    });
    add_piece(take_columns, from, first);
  }
  for (int to = 0; to < shares.ranks; ++to) {
    const std::int64_t first = buffer;
    for_each_block([&](int a, int b) {
      const StringShares::Range rows = side.own.range(b), columns = shares.of(to, side.minor.size(a));
      const std::int64_t stride = side.panel(a).stride;
      const std::int64_t before = rows.first * stride + columns.first;
      Rectangle rectangle{.from = side.first_element(a, b) + before,
                          .to = to == shares.rank ? this->block(to, a, b) : buffer,
                          .from_stride = stride,
                          .to_stride = columns.size(),
                          .rows = rows.size(),
                          .columns = columns.size(),
                          .first_square = 0};
      pack_x.add(rectangle);
      rectangle.from = side.own.origin(a, b) + before;
      pack_y.add(rectangle);
      if (to != shares.rank) buffer += std::int64_t{rows.size()} * columns.size();
    });
    add_piece(give_columns, to, first);
  }
}

void ExchangePlan::list_transposes(Layout1 layout_1) {
  const Side& from = by_alpha_;
  const Side& to = by_beta_;
  for (int panel = 0; panel < from.minor.count(); ++panel) {
    for (int c = 0; c < from.major.count(); ++c) {
      if (from.layout.row(panel, c) < 0) continue;
      const std::int64_t stride = to.panel(c).stride;
      Rectangle rectangle{.from = from.first_element(panel, c),
                          .to = to.first_element(c, panel),
                          .from_stride = from.panel(panel).stride,
                          .to_stride = stride,
                          .rows = from.major.size(c),
                          .columns = from.minor.size(panel),
                          .first_square = 0};
      if (layout_1 == Layout1::own) {
        const StringShares::Range own = to.own.range(panel);
        rectangle.from += own.first;
        rectangle.to = to.own.origin(c, panel) + own.first * stride;
        rectangle.columns = own.size();
      }
      transpose.add(rectangle);
    }
  }
}

}  // namespace cisolve::cuda::direct
