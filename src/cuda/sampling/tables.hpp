// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>

#include "cuda/sampling/group.hpp"
#include "cuda/sampling/steps.hpp"

// Tables of ratios that follow each move at once. All threads of a group call `update`, and wait for each other after it.

namespace cisolve::cuda::sampling {

/// x - a b, rounded once, on host and device alike.
CISOLVE_HOST_DEVICE inline double minus_product(double x, double a, double b) { return fma(-a, b, x); }

/// A hop's change of a table is c r, c = T(:, column) + sign e_row, r = (T(row, :) - sign e_column) / T(row, column).
struct Hop {
  Entry at = {};
  double sign = 1.0;
  double ratio = 1.0;
};

/// Changes of an exchange: hops of signs 1 and -1 in one step of rank 2; `ratios` are those of its entries.
struct Exchange {
  Entry a = {}, b = {};
  Ratios ratios = {};
};

/// Numbers of an exchange's row vectors from those of the table: B^-1 [r0; r1].
struct InverseOfTwo {
  double aa, ab, ba, bb, inverse;

  CISOLVE_HOST_DEVICE explicit InverseOfTwo(const Ratios& r)
      : aa(r.aa), ab(r.ab), ba(r.ba), bb(r.bb), inverse(1.0 / minus_product(r.aa * r.bb, r.ab, r.ba)) {}
  CISOLVE_HOST_DEVICE double first(double r0, double r1) const {
    return inverse * minus_product(bb * r0, ab, r1);
  }
  CISOLVE_HOST_DEVICE double second(double r0, double r1) const {
    return inverse * minus_product(aa * r1, ba, r0);
  }
};

CISOLVE_HOST_DEVICE inline double ratio_of_two(const Ratios& r) {
  return minus_product(r.aa * r.bb, r.ab, r.ba);
}

/// A table in shared or device memory to which changes are applied at once.
/// @tparam columns_per_lane  of so many times 32 columns each lane keeps its row vectors in registers
template <int columns_per_lane>
struct EagerTable {
  double* t = nullptr;  ///< [rows][stride]
  double* c = nullptr;  ///< [2][rows], of the change at hand
  double* r = nullptr;  ///< [2][columns]
  int rows = 0, columns = 0, stride = 0;

  CISOLVE_HOST_DEVICE static std::size_t change_doubles(int rows, int columns) {
    return 2 * (static_cast<std::size_t>(rows) + static_cast<std::size_t>(columns));
  }

  CISOLVE_GROUP double at(int i, int j) const { return t[std::ptrdiff_t{i} * stride + j]; }
  CISOLVE_GROUP double at(Entry entry) const { return at(entry.row, entry.column); }
  CISOLVE_GROUP Ratios around(Entry a, Entry b) const {
    Ratios ratios{at(a), at(a.row, b.column), at(b.row, a.column), at(b)};
    ratios.value = ratio_of_two(ratios);
    return ratios;
  }

  CISOLVE_GROUP int row_stride() const { return stride; }
  /// The same table for look-ups.
  CISOLVE_GROUP EagerTable<1> settled() const { return {t, nullptr, nullptr, rows, columns, stride}; }
  template <class Group>
  CISOLVE_GROUP void settle(const Group&) {}

  template <class Group>
  CISOLVE_GROUP void update(const Group& group, const Hop& hop) {
    const double inverse = 1.0 / hop.ratio;
    for (int i = group.rank(); i < rows; i += Group::size)
      c[i] = at(i, hop.at.column) + (i == hop.at.row ? hop.sign : 0.0);
    for (int j = group.rank(); j < columns; j += Group::size)
      r[j] = inverse * (at(hop.at.row, j) - (j == hop.at.column ? hop.sign : 0.0));
    group.sync();
    subtract<1>(group);
  }

  template <class Group>
  CISOLVE_GROUP void update(const Group& group, const Exchange& exchange) {
    const Entry a = exchange.a, b = exchange.b;
    const InverseOfTwo inverse(exchange.ratios);
    for (int i = group.rank(); i < rows; i += Group::size) {
      c[i] = at(i, a.column) + (i == a.row ? 1.0 : 0.0);
      c[rows + i] = at(i, b.column) - (i == b.row ? 1.0 : 0.0);
    }
    for (int j = group.rank(); j < columns; j += Group::size) {
      const double r0 = at(a.row, j) - (j == a.column ? 1.0 : 0.0);
      const double r1 = at(b.row, j) + (j == b.column ? 1.0 : 0.0);
      r[j] = inverse.first(r0, r1);
      r[columns + j] = inverse.second(r0, r1);
    }
    group.sync();
    subtract<2>(group);
  }

private:
  /// T -= c r: each warp takes rows, its lanes columns.
  template <int ranks, class Group>
  CISOLVE_GROUP void subtract(const Group& group) {
    constexpr int per_lane = columns_per_lane;
    for (int first = 0; first < columns; first += per_lane * Group::lanes) {
      double row_values[ranks][per_lane];
      CISOLVE_UNROLL for (int v = 0; v < per_lane; ++v) {
        const int j = first + v * Group::lanes + group.lane();
        CISOLVE_UNROLL for (int k = 0; k < ranks; ++k) {
          row_values[k][v] = j < columns ? r[k * columns + j] : 0.0;
        }
      }
      CISOLVE_UNROLL_4 for (int i = group.warp(); i < rows; i += Group::warps) {
        double* row = t + std::ptrdiff_t{i} * stride + first + group.lane();
        double factors[ranks];
        CISOLVE_UNROLL for (int k = 0; k < ranks; ++k) { factors[k] = c[k * rows + i]; }
        CISOLVE_UNROLL for (int v = 0; v < per_lane; ++v) {
          if (first + v * Group::lanes + group.lane() >= columns) continue;
          double value = row[v * Group::lanes];
          CISOLVE_UNROLL for (int k = 0; k < ranks; ++k) {
            value = minus_product(value, factors[k], row_values[k][v]);
          }
          row[v * Group::lanes] = value;
        }
      }
    }
  }
};

/// The table of pairs, for moves.
template <class PairTable>
struct PairWalker {
  PairTable table;

  CISOLVE_GROUP Ratios ratios(const WalkView& walk, const Move& move) const {
    const bool is_down = move.kind == MoveKind::hop_down;
    const Entry a = is_down ? down_entry(walk, move) : up_entry(walk, move);
    if (move.kind == MoveKind::exchange) return table.around(a, down_entry(walk, move));
    Ratios ratios;
    ratios.value = ratios.aa = table.at(a);
    return ratios;
  }
  CISOLVE_GROUP double ratio(const WalkView& walk, const Move& move) const {
    return ratios(walk, move).value;
  }
  /// Ratios of moves of a kind, or 0 of null ones, without a branch so that many are looked up together.
  CISOLVE_GROUP double exchange_or_zero(const WalkView& walk, const Move& move) const {
    const bool is_there = move.kind != MoveKind::null;
    const double ratio =
        table.around(is_there ? up_entry(walk, move) : Entry{}, is_there ? down_entry(walk, move) : Entry{})
            .value;
    return is_there ? ratio : 0.0;
  }
  CISOLVE_GROUP double hop_or_zero(const WalkView& walk, const Move& move, bool is_up) const {
    const bool is_there = move.kind != MoveKind::null;
    const Entry entry = is_up ? up_entry(walk, move) : down_entry(walk, move);
    const double ratio = table.at(is_there ? entry : Entry{});
    return is_there ? ratio : 0.0;
  }
  /// W(q, p), W = M^-1.
  CISOLVE_GROUP double inverse(int down, int up) const { return table.at(down, up); }

  template <class Group>
  CISOLVE_GROUP void update(const Group& group, const WalkView& walk, const Event& event) {
    const Move& move = event.move;
    if (move.kind == MoveKind::exchange)
      table.update(group, Exchange{up_entry(walk, move), down_entry(walk, move), event.ratios});
    else if (move.kind == MoveKind::hop_up)
      table.update(group, Hop{up_entry(walk, move), 1.0, event.ratios.aa});
    else
      table.update(group, Hop{down_entry(walk, move), -1.0, event.ratios.aa});
  }
  template <class Group>
  CISOLVE_GROUP void settle(const Group& group) {
    table.settle(group);
  }
  /// For look-ups alone. @pre settled
  CISOLVE_GROUP PairWalker<EagerTable<1>> settled() const { return {table.settled()}; }
};

/// The tables of the two spins of a fermi-sea.
template <class SpinTable>
struct SeaWalker {
  SpinTable up, down;

  CISOLVE_GROUP Ratios ratios(const WalkView& walk, const Move& move) const {
    Ratios ratios{.aa = 1.0, .bb = 1.0};
    if (move.up >= 0) ratios.aa = up.at(up_entry(walk, move));
    if (move.down >= 0) ratios.bb = down.at(down_entry(walk, move));
    ratios.value = ratios.aa * ratios.bb;
    return ratios;
  }
  CISOLVE_GROUP double ratio(const WalkView& walk, const Move& move) const {
    return ratios(walk, move).value;
  }
  CISOLVE_GROUP double exchange_or_zero(const WalkView& walk, const Move& move) const {
    return move.kind != MoveKind::null ? ratio(walk, move) : 0.0;
  }
  CISOLVE_GROUP double hop_or_zero(const WalkView& walk, const Move& move, bool) const {
    return exchange_or_zero(walk, move);
  }
  CISOLVE_GROUP double inverse(int, int) const { return 0.0; }

  template <class Group>
  CISOLVE_GROUP void update(const Group& group, const WalkView& walk, const Event& event) {
    const Move& move = event.move;
    if (move.up >= 0) up.update(group, Hop{up_entry(walk, move), 1.0, event.ratios.aa});
    if (move.kind == MoveKind::exchange) group.sync();  // both use the same memory for what changes
    if (move.down >= 0) down.update(group, Hop{down_entry(walk, move), 1.0, event.ratios.bb});
  }
  template <class Group>
  CISOLVE_GROUP void settle(const Group&) {}
  CISOLVE_GROUP SeaWalker settled() const { return *this; }
};

}  // namespace cisolve::cuda::sampling
