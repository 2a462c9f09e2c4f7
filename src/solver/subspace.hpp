// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/operator.hpp"
#include "solver/dense.hpp"
#include "solver/orthonormalise.hpp"

namespace cisolve {

/// An orthonormal basis V, the products H V, and the Rayleigh-Ritz pairs of H in it.
template <class Backend>
class Subspace {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param capacity  most basis vectors
  Subspace(const Backend& backend, const Operator<Backend>& h, int capacity)
      : backend_(backend), h_(h), basis_(backend.allocate(h.size(), capacity)),
        products_(backend.allocate(h.size(), capacity)) {}

  int size() const { return size_; }
  int capacity() const { return basis_.columns(); }
  /// Columns behind size() are free to be written, then counted by append.
  View basis() { return basis_.view(); }
  const std::vector<double>& ritz_values() const { return ritz_.values; }

  /// From now on the Ritz pairs of largest overlap with some vectors come first (ascending among
  /// themselves), then all others.
  /// @param coefficients  of the vectors in the basis that the next append makes, a column each
  void follow(Matrix coefficients) { targets_ = std::move(coefficients); }

  /// Takes the `count` orthonormal columns written behind the basis: applies H to them and
  /// diagonalises H in the larger basis.
  void append(int count) {
    const View added = basis_.view().slice(size_, count);
    const View added_products = products_.view().slice(size_, count);
    if (count > 0) h_.apply(added, added_products);
    const int size = size_ + count;
    const Matrix block = backend_.gram(basis_.view().slice(0, size), added_products);
    require_finite(block, "H times a vector");
    Matrix projected(size, size);
    for (int j = 0; j < size_; ++j) {
      for (int i = 0; i < size_; ++i) projected(i, j) = projected_(i, j);
    }
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < size_; ++i) projected(i, size_ + j) = projected(size_ + j, i) = block(i, j);
      for (int i = 0; i < count; ++i) {
        projected(size_ + i, size_ + j) = 0.5 * (block(size_ + i, j) + block(size_ + j, i));
      }
    }
    projected_ = projected;
    previous_ = dense::with_rows(ritz_.vectors, size);
    size_ = size;
    if (targets_.columns() > 0) targets_ = dense::with_rows(targets_, size);
    ritz_ = ordered(dense::diagonalise(projected_));
  }

  /// Ritz vectors first .. first + count - 1.
  void ritz_vectors(int first, int count, View out) const {
    backend_.combine(basis_.view().slice(0, size_), dense::columns(ritz_.vectors, first, count), 0.0, out);
  }

  /// H x - E x of those Ritz pairs.
  void residuals(int first, int count, View out) const {
    Matrix s = dense::columns(ritz_.vectors, first, count);
    backend_.combine(products_.view().slice(0, size_), s, 0.0, out);
    for (int k = 0; k < count; ++k) {
      const double energy = ritz_.values[static_cast<std::size_t>(first + k)];
      for (int i = 0; i < size_; ++i) s(i, k) *= -energy;
    }
    backend_.combine(basis_.view().slice(0, size_), s, 1.0, out);
  }

  /// What a thick restart keeps, as coefficients in the basis, at most max_columns: the Ritz vectors
  /// of `tracked` roots, their directions of the iteration before, then further low Ritz vectors.
  Matrix restart_coefficients(int tracked, int max_columns, double floor) const {
    tracked = std::min({tracked, size_, max_columns});
    const int previous = std::min(tracked, previous_.columns());
    // The previous directions are made independent of all the Ritz vectors that are kept.
    const int low = std::max(tracked, std::min(size_, max_columns - previous));
    return dense::append_orthonormal(dense::columns(ritz_.vectors, 0, low),
                                     dense::columns(previous_, 0, previous), floor, max_columns);
  }

  void combine(const Matrix& coefficients, View out) const {
    backend_.combine(basis_.view().slice(0, size_), coefficients, 0.0, out);
  }

  /// Replaces the basis by V s with s^T s = 1, in place. `work` is overwritten.
  void contract(const Matrix& s, View work) {
    rotate(basis_.view(), s, work);
    rotate(products_.view(), s, work);
    const Matrix previous = dense::transposed_product(s, previous_);
    projected_ = dense::transposed_product(s, dense::product(projected_, s));
    size_ = s.columns();
    if (targets_.columns() > 0) targets_ = dense::transposed_product(s, targets_);
    ritz_ = ordered(dense::diagonalise(projected_));
    previous_ = previous;
  }

private:
  // The followed pairs first: for each vector in turn, the one of largest overlap that is left.
  dense::Eigenpairs ordered(dense::Eigenpairs pairs) const {
    const int followed = std::min(targets_.columns(), size_);
    if (followed == 0) return pairs;
    const Matrix overlap = dense::transposed_product(pairs.vectors, targets_);
    std::vector<int> order;
    for (int k = 0; k < followed; ++k) {
      int best = -1;
      for (int i = 0; i < size_; ++i) {
        if (std::find(order.begin(), order.end(), i) != order.end()) continue;
        if (best < 0 || std::abs(overlap(i, k)) > std::abs(overlap(best, k))) best = i;
      }
      order.push_back(best);
    }
    std::sort(order.begin(), order.end());
    for (int i = 0; i < size_; ++i) {
      if (std::find(order.begin(), order.begin() + followed, i) == order.begin() + followed)
        order.push_back(i);
    }
    dense::Eigenpairs result{{}, Matrix(size_, size_)};
    for (int j = 0; j < size_; ++j) {
      const int from = order[static_cast<std::size_t>(j)];
      result.values.push_back(pairs.values[static_cast<std::size_t>(from)]);
      for (int i = 0; i < size_; ++i) result.vectors(i, j) = pairs.vectors(i, from);
    }
    return result;
  }

  // By slices of rows, so that the work block need not hold s.columns() vectors.
  void rotate(View x, const Matrix& s, View work) const {
    const std::int64_t step = std::max<std::int64_t>(1, work.rows * work.columns / s.columns());
    for (std::int64_t first = 0; first < x.rows; first += step) {
      const std::int64_t count = std::min(step, x.rows - first);
      const View rows = x.row_slice(first, count);
      const View rotated{work.data, count, s.columns(), count};
      backend_.combine(rows.slice(0, size_), s, 0.0, rotated);
      backend_.copy(rotated, rows.slice(0, s.columns()));
    }
  }

  const Backend& backend_;
  const Operator<Backend>& h_;
  typename Backend::Block basis_;
  typename Backend::Block products_;
  int size_ = 0;
  Matrix projected_;        // V^T H V
  dense::Eigenpairs ritz_;  // of projected_
  Matrix targets_;          // vectors that are followed, in the present basis; none: the lowest roots
  Matrix previous_;         // Ritz coefficients before the last append, in the present basis
};

}  // namespace cisolve
