// SPDX-License-Identifier: MIT
#include "sampling/table_walker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cisolve::sampling {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Ranks that wait: longer look-ups and fewer passes over T. Small tables are in the first-level cache.
int ranks_of(int sites) { return sites < 64 ? 8 : 16; }

// Rows whose distance is a multiple of 512 bytes would crowd into a few sets of the caches when a column is read.
std::ptrdiff_t stride_of(int columns) {
  const std::ptrdiff_t stride = padded(std::max(columns, 1));
  return stride % 64 == 0 ? stride + lanes : stride;
}

std::size_t area(std::ptrdiff_t a, std::ptrdiff_t b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

/// Order of the largest matrix.
int largest_order(const TrialState& trial) {
  const ElectronNumbers n = trial.electrons;
  return trial.is_sea() ? std::max(n.up, n.down) : n.up + trial.num_ghosts();
}

/// Rows and columns of the tables of a chain.
std::vector<std::pair<int, int>> shapes_of(const TrialState& trial) {
  const auto [up, down] = trial.electrons;
  const int sites = trial.sites;
  if (trial.is_sea()) return {{sites - up, up}, {sites - down, down}};
  return {{sites, sites}};
}

/// Of a new table and the solution that it is made from.
std::size_t fresh_doubles(const TrialState& trial) {
  const int columns = trial.is_sea() ? largest_order(trial) : trial.sites + trial.num_ghosts();
  return area(trial.sites + trial.num_ghosts(), stride_of(columns));
}

/// Of the matrix between them.
std::size_t factor_doubles(const TrialState& trial) {
  return area(trial.sites - std::min(trial.electrons.up, trial.electrons.down), padded(largest_order(trial)));
}

}  // namespace

PendingTable::PendingTable(int rows, int columns, int ranks)
    : table_{.rows = rows,
             .columns = columns,
             .ranks = ranks,
             .stride = stride_of(columns),
             .column_stride = padded(std::max(rows, 1))},
      arrays_(pending_bytes(rows, columns, ranks) / sizeof(double)) {
  std::ranges::fill(arrays_, 0.0);
  double* next = arrays_.data();
  table_.c = next;
  table_.c_columns = next += table_.column_stride * ranks;
  table_.r = next += table_.column_stride * ranks;
  table_.r_columns = next + table_.stride * ranks;
}

std::size_t PendingTable::doubles(int rows, int columns) { return area(rows, stride_of(columns)); }

std::size_t PendingTable::pending_bytes(int rows, int columns, int ranks) {
  return 2 * area(padded(std::max(rows, 1)) + stride_of(columns), ranks) * sizeof(double);
}

void PendingTable::clear() {
  std::ranges::fill(arrays_, 0.0);
  table_.pending = 0;
}

TableWalker::TableWalker(const TrialState& trial)
    : trial_(trial), is_sea_(trial.is_sea()), row_offset_(is_sea_ ? 0 : trial.electrons.down),
      column_offset_(trial.electrons.up), solver_(largest_order(trial)), fresh_(fresh_doubles(trial)),
      factors_(factor_doubles(trial)) {
  for (const auto& [rows, columns] : shapes_of(trial))
    tables_.emplace_back(rows, columns, ranks_of(trial.sites));
}

std::size_t TableWalker::bytes(const TrialState& trial) {
  std::size_t bytes = (fresh_doubles(trial) + factor_doubles(trial)) * sizeof(double);
  for (const auto& [rows, columns] : shapes_of(trial))
    bytes += PendingTable::pending_bytes(rows, columns, ranks_of(trial.sites));
  return bytes + LinearSolver::bytes(largest_order(trial));
}

std::size_t TableWalker::table_doubles(const TrialState& trial) {
  std::size_t doubles = 0;
  for (const auto& [rows, columns] : shapes_of(trial)) doubles += PendingTable::doubles(rows, columns);
  return doubles;
}

void TableWalker::attach(double* tables) {
  for (PendingTable& table : tables_) {
    table.attach(tables);
    table.clear();
    tables += PendingTable::doubles((*table).rows, (*table).columns);
  }
}

double TableWalker::ratio(const Configuration&, const Move& move) const {
  if (is_sea_) return ratio_of_sea(move);
  const DelayedTable& table = *tables_[0];
  if (move.kind == MoveKind::exchange) return kernels_.look_up_pair(table, up_entry(move), down_entry(move));
  return kernels_.look_up(table, move.kind == MoveKind::hop_up ? up_entry(move) : down_entry(move));
}

double TableWalker::ratio_of_sea(const Move& move) const {
  double ratio = 1.0;
  if (move.up >= 0) ratio *= kernels_.look_up(*tables_[0], up_entry(move));
  if (move.down >= 0) ratio *= kernels_.look_up(*tables_[1], down_entry(move));
  return ratio;
}

void TableWalker::update(const Configuration&, const Move& move) {
  const auto hop = [this](PendingTable& table, Entry entry, double sign) {
    table.make_room(1);
    kernels_.append_hop(*table, entry, sign);
  };
  if (is_sea_) {
    if (move.up >= 0) hop(tables_[0], up_entry(move), 1.0);
    if (move.down >= 0) hop(tables_[1], down_entry(move), 1.0);
    return;
  }
  switch (move.kind) {
    case MoveKind::null:
      return;
    case MoveKind::hop_up:
      return hop(tables_[0], up_entry(move), 1.0);
    case MoveKind::hop_down:
      return hop(tables_[0], down_entry(move), -1.0);
    case MoveKind::exchange:
      tables_[0].make_room(2);
      kernels_.append_exchange(*tables_[0], up_entry(move), down_entry(move));
  }
}

void TableWalker::settle(const Configuration&) {
  for (PendingTable& table : tables_) table.flush();
}

/// M of a bcs state to the solver.
void TableWalker::fill_pairs(const Configuration& at) {
  const std::vector<int>&up = at.up.occupied(), &down = at.down.occupied();
  const int pairs = trial_.electrons.up, order = pairs + trial_.num_ghosts();
  for (int a = 0; a < pairs; ++a) {
    double* row = solver_.row(a);
    for (int b = 0; b < pairs; ++b) row[b] = trial_.phi(up[a], down[b]);
    for (int g = pairs; g < order; ++g) row[g] = trial_.ghost(g - pairs)[up[a]];
  }
  for (int g = pairs; g < order; ++g) {
    double* row = solver_.row(g);
    for (int b = 0; b < pairs; ++b) row[b] = trial_.ghost(g - pairs)[down[b]];
    std::fill(row + pairs, row + order, 0.0);
  }
}

/// C of the occupied sites of one spin.
void TableWalker::fill_orbitals(const SpinPlaces& places) {
  const int electrons = static_cast<int>(places.occupied().size());
  for (int p = 0; p < electrons; ++p) {
    for (int k = 0; k < electrons; ++k) solver_.row(p)[k] = trial_.orbitals(places.occupied()[p], k);
  }
}

/// A table of these positions among `fresh_`, whose first rows are the solution that it is made from.
/// @return its first row; of bcs those of ghosts are between the down electrons' and the slots'
const double* TableWalker::make_table(int number, const Configuration& at) {
  const DelayedTable& table = *tables_[number];
  const std::ptrdiff_t stride = table.stride;
  const SpinPlaces& own = number == 0 ? at.up : at.down;
  const std::vector<int>&free = own.free(), &holes = at.down.free();
  const int electrons = static_cast<int>(own.occupied().size()), slots = static_cast<int>(free.size());
  const int order = electrons + trial_.num_ghosts();
  const std::ptrdiff_t factor_stride = padded(order);
  double* fresh = fresh_.data();
  std::fill_n(fresh, area(order + slots, stride), 0.0);
  double* rest = fresh + order * stride;
  for (int p = 0; p < electrons; ++p) fresh[p * stride + p] = 1.0;
  if (is_sea_) {
    fill_orbitals(own);
    for (int s = 0; s < slots; ++s) {
      for (int k = 0; k < electrons; ++k)
        factors_[area(s, factor_stride) + static_cast<std::size_t>(k)] = -trial_.orbitals(free[s], k);
    }
  } else {
    fill_pairs(at);
    const int num_holes = static_cast<int>(holes.size());
    const auto fill_columns = [&](double* row, int site) {
      for (int s = 0; s < num_holes; ++s) row[column_offset_ + s] = trial_.phi(site, holes[s]);
    };
    for (int a = 0; a < electrons; ++a) fill_columns(fresh + a * stride, own.occupied()[a]);
    for (int g = electrons; g < order; ++g) {
      for (int s = 0; s < num_holes; ++s)
        fresh[g * stride + column_offset_ + s] = trial_.ghost(g - electrons)[holes[s]];
    }
    for (int s = 0; s < slots; ++s) {
      double* row = rest + s * stride;
      for (int h = 0; h < num_holes; ++h) row[column_offset_ + h] = -trial_.phi(free[s], holes[h]);
      double* factor = factors_.data() + s * factor_stride;
      for (int b = 0; b < electrons; ++b) factor[b] = -trial_.phi(free[s], at.down.occupied()[b]);
      for (int g = electrons; g < order; ++g) factor[g] = -trial_.ghost(g - electrons)[free[s]];
    }
  }
  solver_.factorise(order);
  solver_.solve(fresh, stride, stride);
  kernels_.subtract_product(
      {rest, stride, factors_.data(), factor_stride, fresh, stride, slots, stride, order});
  return is_sea_ ? rest : fresh;
}

double TableWalker::rebuild_with_drift(const Configuration& at) {
  settle(at);
  double difference = 0.0, largest = 0.0;
  for (int number = 0; number < static_cast<int>(tables_.size()); ++number) {
    const DelayedTable& table = *tables_[number];
    const double* fresh = make_table(number, at);
    const int skipped_after = is_sea_ ? table.rows : trial_.electrons.down;
    for (int i = 0; i < table.rows; ++i) {
      const double* from = fresh + (i < skipped_after ? i : i + trial_.num_ghosts()) * table.stride;
      double* to = table.t + i * table.stride;
      for (int j = 0; j < table.columns; ++j) {
        const double change = std::abs(to[j] - from[j]);
        if (!(change <= difference)) difference = std::isnan(change) ? infinity : change;
        largest = std::max(largest, std::abs(from[j]));
      }
      std::copy_n(from, table.stride, to);
    }
    tables_[number].clear();
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

void TableWalker::rebuild(const Configuration& at) { static_cast<void>(rebuild_with_drift(at)); }

/// Of the first rows of the solver's matrix, which is lost. Uses `fresh_`.
double TableWalker::condition_of_matrix(int order) {
  const auto norm = [order](const double* rows, std::ptrdiff_t stride) {
    double largest = 0.0;
    for (int j = 0; j < order; ++j) {
      double sum = 0.0;
      for (int i = 0; i < order; ++i) sum += std::abs(rows[i * stride + j]);
      if (!(sum <= largest)) largest = sum;
    }
    return largest;
  };
  const std::ptrdiff_t stride = padded(order);
  const double of_matrix = norm(solver_.row(0), solver_.stride());
  std::fill_n(fresh_.data(), area(order, stride), 0.0);
  for (int i = 0; i < order; ++i) fresh_[area(i, stride) + static_cast<std::size_t>(i)] = 1.0;
  solver_.factorise(order);
  solver_.solve(fresh_.data(), stride, stride);
  const double reciprocal = 1.0 / (of_matrix * norm(fresh_.data(), stride));
  return std::isfinite(reciprocal) ? reciprocal : 0.0;
}

double TableWalker::reciprocal_condition(const Configuration& at) {
  if (!is_sea_) {
    fill_pairs(at);
    return condition_of_matrix(trial_.electrons.up + trial_.num_ghosts());
  }
  double smallest = 1.0;
  for (const SpinPlaces* places : {&at.up, &at.down}) {
    if (places->occupied().empty()) continue;
    fill_orbitals(*places);
    smallest = std::min(smallest, condition_of_matrix(static_cast<int>(places->occupied().size())));
  }
  return smallest;
}

}  // namespace cisolve::sampling
