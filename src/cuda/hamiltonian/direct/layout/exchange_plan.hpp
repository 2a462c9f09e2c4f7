// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/hamiltonian/string_shares.hpp"
#include "cuda/hamiltonian/direct/side.hpp"
#include "cuda/hamiltonian/direct/types.hpp"

// What ranks give each other in a direct product.
namespace cisolve::cuda::direct {

/// Elements that are copied: (i, j) of [rows][columns] from from + from_stride i + j to to + to_stride i + j, or
/// transposed to to + to_stride j + i.
struct Rectangle {
  std::int64_t from, to;
  std::int64_t from_stride, to_stride;
  std::int32_t rows, columns;
  std::int32_t first_square;  ///< squares of the rectangles before
};

/// Strings of either spin that a square of a Rectangle has at most.
inline constexpr int rectangle_square = 32;

struct Rectangles {
  std::vector<Rectangle> list;
  std::int32_t num_squares = 0;

  /// Adds one, if it is not empty; `first_square` is filled in.
  void add(Rectangle rectangle);
};

/// Consecutive elements that come from a rank or go there.
struct RankPiece {
  int rank;
  std::int64_t first, size;
};

/// What a rank gives the others and gets from them: its rows of x in layout 0, for all of which every rank has room; and of
/// its rows in layout 1 what belongs to others, whose alpha strings are columns there. With a parity, rows in layout 0
/// are taken as their mirror images, which have the same shape.
struct ExchangePlan {
  std::vector<RankPiece> give_rows, take_rows;  ///< of x in layout 0

  /// Own rows of layout 1 by owner of their columns, in a buffer: first what comes, by rank, then what goes to others. What a
  /// rank gives to itself is packed to where it would come.
  Rectangles pack_x, pack_y;  ///< from vectors with all rows, and with own rows
  Rectangles unpack_x;        ///< the reverse of pack_y, where rows of x by beta strings come like this
  std::vector<RankPiece> give_columns, take_columns;  ///< of the buffer
  std::int64_t buffer = 0;                            ///< elements

  /// From layout 0 to layout 1, transposed: all rows of both, or those that are own in layout 1 to a vector of them.
  Rectangles transpose;

  ExchangePlan(const DirectTables& tables, const StringShares& shares);

  /// What layout 1 has: nothing, rows of a rank, or all of x.
  enum class Layout1 { none, own, all };

  /// Keeps what is needed.
  /// @param own_x  of x in layout 0 a rank has its own rows alone
  void finish(bool parity, Layout1 layout_1, bool own_x);

  /// Bytes of what kernels read.
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(
        (pack_x.list.size() + pack_y.list.size() + unpack_x.list.size() + transpose.list.size()) *
        sizeof(Rectangle));
  }

  /// Where in the buffer own alpha strings of a class, as columns, meet those of a beta class that a rank has, as rows.
  std::int64_t block(int from, int alpha_class, int beta_class) const {
    return blocks_[(static_cast<std::size_t>(from) * num_alpha_ + static_cast<std::size_t>(alpha_class)) *
                       num_beta_ +
                   static_cast<std::size_t>(beta_class)];
  }

private:
  void list_rows(const StringShares& shares);
  void list_columns(const StringShares& shares);
  void list_transposes(Layout1 layout_1);

  Side by_alpha_, by_beta_;
  std::size_t num_alpha_, num_beta_;
  std::vector<std::int64_t> blocks_;  ///< [ranks][alpha classes][beta classes]
};

}  // namespace cisolve::cuda::direct
