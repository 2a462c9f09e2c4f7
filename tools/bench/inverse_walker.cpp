// SPDX-License-Identifier: MIT
#include "inverse_walker.hpp"

#include <algorithm>

#include "cisolve/core/array.hpp"
#include "sampling/linear_solver.hpp"
#include "sampling/table_kernels.hpp"

namespace cisolve::bench {

using sampling::Configuration;
using sampling::Move;
using sampling::MoveKind;

InverseWalker::InverseWalker(const TrialState& trial)
    : trial_(trial), order_(static_cast<std::size_t>(trial.electrons.up + trial.num_ghosts())),
      inverse_(order_ * order_), row_(order_), column_(order_), product_(order_) {}

void InverseWalker::fill_row(const Configuration& at, int site, std::vector<double>& to) const {
  const auto& downs = at.down.occupied();
  for (std::size_t b = 0; b < downs.size(); ++b) to[b] = trial_.phi(site, downs[b]);
  for (int g = 0; g < trial_.num_ghosts(); ++g)
    to[downs.size() + static_cast<std::size_t>(g)] = trial_.ghost(g)[site];
}

void InverseWalker::fill_column(const Configuration& at, int site, std::vector<double>& to) const {
  const auto& ups = at.up.occupied();
  for (std::size_t a = 0; a < ups.size(); ++a) to[a] = trial_.phi(ups[a], site);
  for (int g = 0; g < trial_.num_ghosts(); ++g)
    to[ups.size() + static_cast<std::size_t>(g)] = trial_.ghost(g)[site];
}

double InverseWalker::up_ratio(int p) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < order_; ++b)
    sum += row_[b] * inverse_[b * order_ + static_cast<std::size_t>(p)];
  return sum;
}

double InverseWalker::down_ratio(int q) const {
  const double* w = row(q);
  double sum = 0.0;
  for (std::size_t a = 0; a < order_; ++a) sum += w[a] * column_[a];
  return sum;
}

double InverseWalker::ratio(const Configuration& at, const Move& move) const {
  const bool is_up = move.kind != MoveKind::hop_down, is_down = move.kind != MoveKind::hop_up;
  if (is_up) fill_row(at, at.up.free()[move.up_slot], row_);
  if (is_down) fill_column(at, at.down.free()[move.down_slot], column_);
  if (!is_down) return up_ratio(move.up);
  if (!is_up) return down_ratio(move.down);
  // The element that row and column share is that of the new sites: sum_ab r_a W_ab c_b - phi(new, new).
  double both = -trial_.phi(at.up.free()[move.up_slot], at.down.free()[move.down_slot]);
  for (std::size_t b = 0; b < order_; ++b) {
    const double* w = row(static_cast<int>(b));
    double sum = 0.0;
    for (std::size_t a = 0; a < order_; ++a) sum += w[a] * column_[a];
    both += row_[b] * sum;
  }
  return up_ratio(move.up) * down_ratio(move.down) - both * row(move.down)[move.up];
}

void InverseWalker::replace_row(int p) {
  const double r = up_ratio(p);
  std::ranges::fill(product_, 0.0);
  for (std::size_t b = 0; b < order_; ++b) {
    const double* w = row(static_cast<int>(b));
    for (std::size_t a = 0; a < order_; ++a) product_[a] += row_[b] * w[a];
  }
  product_[static_cast<std::size_t>(p)] -= 1.0;
  for (std::size_t b = 0; b < order_; ++b) {
    double* w = row(static_cast<int>(b));
    const double factor = w[p] / r;
    for (std::size_t a = 0; a < order_; ++a) w[a] -= factor * product_[a];
  }
}

void InverseWalker::replace_column(int q) {
  const double r = down_ratio(q);
  for (std::size_t b = 0; b < order_; ++b) {
    const double* w = row(static_cast<int>(b));
    double sum = 0.0;
    for (std::size_t a = 0; a < order_; ++a) sum += w[a] * column_[a];
    product_[b] = sum;
  }
  product_[static_cast<std::size_t>(q)] -= 1.0;
  const std::vector<double> old(row(q), row(q) + order_);
  for (std::size_t b = 0; b < order_; ++b) {
    double* w = row(static_cast<int>(b));
    const double factor = product_[b] / r;
    for (std::size_t a = 0; a < order_; ++a) w[a] -= factor * old[a];
  }
}

void InverseWalker::update(const Configuration& at, const Move& move) {
  Configuration moved = at;
  if (move.kind != MoveKind::hop_down) {
    fill_row(at, at.up.free()[move.up_slot], row_);
    replace_row(move.up);
    moved.up.move(move.up, move.up_slot);
  }
  if (move.kind != MoveKind::hop_up) {
    fill_column(moved, at.down.free()[move.down_slot], column_);
    replace_column(move.down);
  }
}

void InverseWalker::rebuild(const Configuration& at) {
  const int order = static_cast<int>(order_), pairs = trial_.electrons.up;
  sampling::LinearSolver solver(order);
  const std::ptrdiff_t stride = (order + sampling::lanes - 1) / sampling::lanes * sampling::lanes;
  Array<double> x(static_cast<std::size_t>(stride) * order_);
  std::ranges::fill(x, 0.0);
  for (int a = 0; a < order; ++a) {
    double* to = solver.row(a);
    std::fill(to, to + order, 0.0);
    if (a < pairs) {
      fill_row(at, at.up.occupied()[static_cast<std::size_t>(a)], row_);
      std::ranges::copy(row_, to);
    } else {
      for (int b = 0; b < pairs; ++b)
        to[b] = trial_.ghost(a - pairs)[at.down.occupied()[static_cast<std::size_t>(b)]];
    }
    x[static_cast<std::size_t>(a * stride + a)] = 1.0;
  }
  solver.factorise(order);
  solver.solve(x.data(), stride, stride);
  for (int b = 0; b < order; ++b) std::copy_n(x.data() + b * stride, order_, row(b));
}

}  // namespace cisolve::bench
