// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "cisolve/core/array.hpp"
#include "sampling/configuration.hpp"
#include "sampling/linear_solver.hpp"
#include "sampling/table_kernels.hpp"

namespace cisolve::sampling {

/// A table T and the arrays for what is pending; T itself belongs to a chain and is attached.
class PendingTable {
public:
  PendingTable(int rows, int columns, int ranks);

  void attach(double* t) { table_.t = t; }
  DelayedTable& operator*() { return table_; }
  const DelayedTable& operator*() const { return table_; }
  /// So that so many ranks more fit.
  void make_room(int ranks) {
    if (table_.pending + ranks > table_.ranks) flush();
  }
  void flush() { kernels_.flush(table_); }
  /// Forgets what is pending: T was made anew.
  void clear();

  static std::size_t doubles(int rows, int columns);
  static std::size_t pending_bytes(int rows, int columns, int ranks);

private:
  const TableKernels& kernels_ = table_kernels();
  DelayedTable table_;
  Array<double> arrays_;
};

/// Ratios of psi by look-ups in the table of all ratios, which follows each move.
///
/// bcs, W = M^-1: rows are the down electrons q, then the slots s' without an up electron; columns the up electrons p,
/// then the slots s without a down electron. With A = phi over all sites
///
///     T(q, p) = W(q, p)                      T(q, s)  = sum_j W(q, j) A(u_j, s)
///     T(s', p) = sum_i A(s', d_i) W(i, p)    T(s', s) = sum_ij A(s', d_i) W(i, j) A(u_j, s) - A(s', s)
///
/// A hop of p to s' has the ratio T(s', p), of q to s T(q, s), and the exchange of p and q, from s to s' and back,
/// T(s', p) T(q, s) - T(s', s) T(q, p). Ghost pairs are in M, but have no rows and columns here: no look-up or change of the
/// others needs them. fermi-sea: one table K(s', p) = sum_k C(s', k) [C^-1](k, p) for each spin.
/// The changes of an inverse are those of J. Sherman, W. J. Morrison, Ann. Math. Stat. 21, 124 (1950),
/// doi:10.1214/aoms/1177729893; delayed as in T. McDaniel et al., J. Chem. Phys. 147, 174107 (2017), doi:10.1063/1.4998616.
class TableWalker {
public:
  /// @param trial  outlives it
  explicit TableWalker(const TrialState& trial);

  /// Doubles of the tables of one chain, which are aligned to 64 bytes.
  static std::size_t table_doubles(const TrialState& trial);
  std::size_t size() const { return table_doubles(trial_); }
  /// Works on the tables of a chain from now on, without anything pending.
  void attach(double* tables);

  double ratio(const Configuration&, const Move& move) const;
  void update(const Configuration&, const Move& move);
  /// Makes the tables anew.
  void rebuild(const Configuration& at);
  /// The same; @return max|T - T_new| / max|T_new| over the tables
  double rebuild_with_drift(const Configuration& at);

  /// 1 / (|M|_1 |M^-1|_1), of two determinants the smaller; 0 where it can't be told from it.
  double reciprocal_condition(const Configuration& at);

  /// Applies what is pending.
  void settle(const Configuration&);
  /// @pre settled
  double settled_ratio(const Configuration&, const Move& move) const {
    if (is_sea_)
      return (move.up >= 0 ? at(0, up_entry(move)) : 1.0) * (move.down >= 0 ? at(1, down_entry(move)) : 1.0);
    const Entry up = up_entry(move), down = down_entry(move);
    if (move.kind == MoveKind::hop_up) return at(0, up);
    if (move.kind == MoveKind::hop_down) return at(0, down);
    return at(0, up) * at(0, down) - at(0, {up.row, down.column}) * at(0, {down.row, up.column});
  }
  /// W(q, p) of bcs. @pre settled
  double inverse(int down, int up) const { return at(0, {down, up}); }

  /// Memory of what it works with, without tables.
  static std::size_t bytes(const TrialState& trial);

private:
  Entry up_entry(const Move& move) const { return {row_offset_ + move.up_slot, move.up}; }
  Entry down_entry(const Move& move) const {
    return is_sea_ ? Entry{move.down_slot, move.down} : Entry{move.down, column_offset_ + move.down_slot};
  }
  double at(int number, Entry entry) const {
    const DelayedTable& table = *tables_[number];
    return table.t[entry.row * table.stride + entry.column];
  }
  double ratio_of_sea(const Move& move) const;
  void fill_pairs(const Configuration& at);
  void fill_orbitals(const SpinPlaces& places);
  const double* make_table(int number, const Configuration& at);
  double condition_of_matrix(int order);

  const TableKernels& kernels_ = table_kernels();
  const TrialState& trial_;
  bool is_sea_ = false;
  int row_offset_ = 0, column_offset_ = 0;  ///< of slots
  std::vector<PendingTable> tables_;
  LinearSolver solver_;
  Array<double> fresh_;    ///< M^-1 [1 | A(u, s)], then a table's other rows
  Array<double> factors_;  ///< -A(s', d) or -C(s', k)
};

}  // namespace cisolve::sampling
