// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "cisolve/core/array.hpp"

namespace cisolve::sampling {

/// Solves M X = B for dense square matrices, by LU with partial pivoting in blocks. Memory is allocated once; results
/// depend neither on threads nor on where arrays lie.
class LinearSolver {
public:
  /// @param order  of M, or more than that of every M
  explicit LinearSolver(int order);

  int order() const { return order_; }
  std::ptrdiff_t stride() const { return stride_; }
  /// Row i of M, to be filled.
  double* row(int i) { return matrix_.data() + i * stride_; }

  /// Factorises M, which is lost. A singular M gives factors, and solutions, that are not finite.
  /// @param order  of this M
  void factorise(int order);

  /// @param x        [order][x_stride], aligned to 64 bytes: B, then X
  /// @param columns  a multiple of `lanes`
  void solve(double* x, std::ptrdiff_t x_stride, std::ptrdiff_t columns) const;

  static std::size_t bytes(int order);

private:
  void factorise_panel(int first, int last);

  int order_ = 0;
  std::ptrdiff_t stride_ = 0;
  Array<double> matrix_;
  std::vector<int> pivots_;  ///< row that was swapped with row i
};

}  // namespace cisolve::sampling
