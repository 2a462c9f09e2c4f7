// SPDX-License-Identifier: MIT
#include "sampling/linear_solver.hpp"

#include <algorithm>
#include <cmath>

#include "sampling/table_kernels.hpp"

namespace cisolve::sampling {
namespace {

// Columns that are factorised, or rows that are solved for, at a time; the rest is a product. A multiple of `lanes`.
constexpr int panel = 16;

/// to -= factor from.
void subtract_row(double* to, double factor, const double* from, std::ptrdiff_t count) {
  for (std::ptrdiff_t j = 0; j < count; ++j) to[j] -= factor * from[j];
}

}  // namespace

LinearSolver::LinearSolver(int order)
    : order_(order), stride_(padded(order)),
      matrix_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(order)),
      pivots_(static_cast<std::size_t>(order)) {
  std::ranges::fill(matrix_, 0.0);
}

std::size_t LinearSolver::bytes(int order) {
  return static_cast<std::size_t>(padded(order)) * static_cast<std::size_t>(order) * sizeof(double);
}

void LinearSolver::factorise_panel(int first, int last) {
  for (int k = first; k < last; ++k) {
    int pivot = k;
    for (int i = k + 1; i < order_; ++i) {
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
    }
    pivots_[k] = pivot;
    if (pivot != k) std::swap_ranges(row(k), row(k) + stride_, row(pivot));
    const double inverse = 1.0 / row(k)[k];
    for (int i = k + 1; i < order_; ++i) {
      const double factor = row(i)[k] *= inverse;
      subtract_row(row(i) + k + 1, factor, row(k) + k + 1, last - k - 1);
    }
  }
}

void LinearSolver::factorise(int order) {
  order_ = order;
  for (int first = 0; first < order; first += panel) {
    const int last = std::min(first + panel, order);
    factorise_panel(first, last);
    // Right of the panel: its rows of U, then the product that is left for the rows below.
    const std::ptrdiff_t right = first + panel;
    if (right >= order) break;
    for (int k = first; k < last; ++k) {
      for (int i = k + 1; i < last; ++i)
        subtract_row(row(i) + right, row(i)[k], row(k) + right, stride_ - right);
    }
    table_kernels().subtract_product({row(last) + right, stride_, row(last) + first, stride_,
                                      row(first) + right, stride_, order - last, stride_ - right,
                                      last - first});
  }
}

void LinearSolver::solve(double* x, std::ptrdiff_t x_stride, std::ptrdiff_t columns) const {
  const double* m = matrix_.data();
  const auto x_row = [&](int i) { return x + i * x_stride; };
  for (int k = 0; k < order_; ++k) {
    if (pivots_[k] != k) std::swap_ranges(x_row(k), x_row(k) + columns, x_row(pivots_[k]));
  }
  for (int first = 0; first < order_; first += panel) {
    const int last = std::min(first + panel, order_);
    table_kernels().subtract_product(
        {x_row(first), x_stride, m + first * stride_, stride_, x, x_stride, last - first, columns, first});
    for (int i = first; i < last; ++i) {
      for (int k = first; k < i; ++k) subtract_row(x_row(i), m[i * stride_ + k], x_row(k), columns);
    }
  }
  for (int first = (order_ - 1) / panel * panel; first >= 0 && order_ > 0; first -= panel) {
    const int last = std::min(first + panel, order_);
    table_kernels().subtract_product({x_row(first), x_stride, m + first * stride_ + last, stride_,
                                      x_row(last), x_stride, last - first, columns, order_ - last});
    for (int i = last - 1; i >= first; --i) {
      for (int k = i + 1; k < last; ++k) subtract_row(x_row(i), m[i * stride_ + k], x_row(k), columns);
      const double inverse = 1.0 / m[i * stride_ + i];
      for (std::ptrdiff_t j = 0; j < columns; ++j) x_row(i)[j] *= inverse;
    }
  }
}

}  // namespace cisolve::sampling
