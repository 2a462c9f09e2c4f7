// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/operator.hpp"
#include "solver/dense.hpp"
#include "solver/orthonormal_vectors.hpp"

namespace cisolve {

/// An orthonormal basis V, the products H V, and the Rayleigh-Ritz pairs of H in it. With a metric S, V^H S V = 1.
template <VectorBackend Backend>
class Subspace {
public:
  using Scalar = typename Backend::Scalar;
  using Coefficients = BasicMatrix<Scalar>;  ///< of vectors in the basis, a column each
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param basis  empty
  Subspace(const Backend& backend, const Operator<Backend>& h, OrthonormalVectors<Backend> basis)
      : backend_(backend), h_(h), basis_(std::move(basis)),
        products_(backend.allocate(h.local_rows(), basis_.capacity())) {}

  /// Basis vectors that are multiplied by H: all, but for those appended since `extend`.
  int size() const { return size_; }
  int capacity() const { return basis_.capacity(); }
  OrthonormalVectors<Backend>& basis() { return basis_; }
  const std::vector<double>& ritz_values() const { return ritz_.values; }

  /// From now on the Ritz pairs of largest overlap with some vectors come first (ascending among
  /// themselves), then all others.
  /// @param coefficients  of those vectors in the basis that the next `extend` takes
  void follow(Coefficients coefficients) { targets_ = std::move(coefficients); }

  /// Takes what was appended to the basis: applies H to it and diagonalises H in the larger basis.
  /// @return the number of vectors taken
  int extend() {
    const int size = basis_.size();
    const int count = size - size_;
    const View added_products = products_.view().slice(size_, count);
    if (count > 0) h_.apply(basis_.vectors().slice(size_, count), added_products);
    const Coefficients block = backend_.gram(basis_.vectors(), added_products);
    require_finite(block, "H times a vector");
    Coefficients projected(size, size);
    for (int j = 0; j < size_; ++j) {
      for (int i = 0; i < size_; ++i) projected(i, j) = projected_(i, j);
    }
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < size_; ++i) {
        projected(i, size_ + j) = block(i, j);
        projected(size_ + j, i) = dense::conjugate(block(i, j));
      }
      for (int i = 0; i < count; ++i) {
        projected(size_ + i, size_ + j) = 0.5 * (block(size_ + i, j) + dense::conjugate(block(size_ + j, i)));
      }
    }
    projected_ = projected;
    previous_ = dense::with_rows(ritz_.vectors, size);
    size_ = size;
    if (targets_.columns() > 0) targets_ = dense::with_rows(targets_, size);
    ritz_ = ordered(dense::diagonalise(projected_));
    return count;
  }

  /// Ritz vectors first .. first + count - 1.
  void ritz_vectors(int first, int count, View out) const {
    backend_.combine(basis_.vectors(), dense::columns(ritz_.vectors, first, count), 0.0, out);
  }

  /// S times Ritz vectors first .. first + count - 1.
  void ritz_duals(int first, int count, View out) const {
    backend_.combine(basis_.duals(), dense::columns(ritz_.vectors, first, count), 0.0, out);
  }

  /// H x - E S x of Ritz pairs first .. first + count - 1.
  void residuals(int first, int count, View out) const {
    Coefficients s = dense::columns(ritz_.vectors, first, count);
    backend_.combine(products_.view().slice(0, size_), s, 0.0, out);
    for (int k = 0; k < count; ++k) {
      const double energy = ritz_.values[first + k];
      for (int i = 0; i < size_; ++i) s(i, k) *= -energy;
    }
    backend_.combine(basis_.duals(), s, 1.0, out);
  }

  /// What a thick restart keeps, as coefficients in the basis, at most max_columns: the Ritz vectors
  /// of `tracked` roots, their directions of the iteration before, then further low Ritz vectors.
  Coefficients restart_coefficients(int tracked, int max_columns, double floor) const {
    tracked = std::min({tracked, size_, max_columns});
    const int previous = std::min(tracked, previous_.columns());
    // The previous directions are made independent of all the Ritz vectors that are kept.
    const int low = std::max(tracked, std::min(size_, max_columns - previous));
    return dense::append_orthonormal(dense::columns(ritz_.vectors, 0, low),
                                     dense::columns(previous_, 0, previous), floor, max_columns);
  }

  void combine(const Coefficients& coefficients, View out) const {
    backend_.combine(basis_.vectors(), coefficients, 0.0, out);
  }

  /// Replaces the basis by V s with s^H s = 1, in place. `work` is overwritten.
  void contract(const Coefficients& s, View work) {
    basis_.contract(s, work);
    rotate(backend_, products_.view(), s, work);
    const Coefficients previous = dense::adjoint_product(s, previous_);
    projected_ = dense::adjoint_product(s, dense::product(projected_, s));
    size_ = s.columns();
    if (targets_.columns() > 0) targets_ = dense::adjoint_product(s, targets_);
    ritz_ = ordered(dense::diagonalise(projected_));
    previous_ = previous;
  }

private:
  // The followed pairs first: for each vector in turn, the one of largest overlap that is left.
  dense::Eigenpairs<Scalar> ordered(dense::Eigenpairs<Scalar> pairs) const {
    const int followed = std::min(targets_.columns(), size_);
    if (followed == 0) return pairs;
    const Coefficients overlap = dense::adjoint_product(pairs.vectors, targets_);
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
    dense::Eigenpairs<Scalar> result{{}, Coefficients(size_, size_)};
    for (int j = 0; j < size_; ++j) {
      const int from = order[j];
      result.values.push_back(pairs.values[from]);
      for (int i = 0; i < size_; ++i) result.vectors(i, j) = pairs.vectors(i, from);
    }
    return result;
  }

  const Backend& backend_;
  const Operator<Backend>& h_;
  OrthonormalVectors<Backend> basis_;
  typename Backend::Block products_;
  int size_ = 0;
  Coefficients projected_;          // V^H H V
  dense::Eigenpairs<Scalar> ritz_;  // of projected_
  Coefficients targets_;            // vectors that are followed, in the present basis; none: the lowest roots
  Coefficients previous_;           // Ritz coefficients before the last extension, in the present basis
};

}  // namespace cisolve
