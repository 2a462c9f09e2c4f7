// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/solver/eigenspace_filter.hpp"
#include "cisolve/solver/operator.hpp"
#include "cisolve/sparse/stored_matrix.hpp"

// What the solver applies, written once. A Platform says what a backend's memory holds, and who has which rows:
//   Backend, Matrix, MatrixWorkspace, Direct, DirectWorkspace; make_backend(); await_others(), what other streams have
//   begun on the current device; hold(backend, matrix, besides), multiply(backend, matrix, x, y, workspace),
//   hold_direct(backend, plan), spin_densities(backend, space, vectors, pairs).

namespace cisolve {

/// H over a set of rows, computed anew from the integrals.
using DenseBlock = std::function<Matrix(std::span<const std::int64_t>)>;

/// y = A x, for any number of columns.
template <class Backend>
using Product = typename EigenspaceFilter<Backend>::Product;

/// H, however it is applied.
template <class Backend>
class HamiltonianOperator final : public Operator<Backend> {
public:
  /// @param product   multiplies by H
  /// @param size      order of H
  /// @param diagonal  for the solver's preconditioner, local rows, which may be another than that of H; must outlive this
  ///                  object
  HamiltonianOperator(const Backend& backend, Product<Backend> product, std::int64_t size,
                      std::span<const double> diagonal, DenseBlock dense_block)
      : backend_(backend), product_(std::move(product)), size_(size), local_rows_(std::ssize(diagonal)),
        dense_block_(std::move(dense_block)) {
    show(diagonal);
  }

  std::int64_t size() const override { return size_; }
  std::int64_t local_rows() const override { return local_rows_; }
  void apply(typename Backend::ConstView x, typename Backend::View y) const override { product_(x, y); }
  typename Backend::ConstView diagonal() const override { return view_; }
  Matrix dense_block(std::span<const std::int64_t> rows) const override { return dense_block_(rows); }

  /// Another diagonal from now on.
  void use_diagonal(std::vector<double> diagonal) {
    show(diagonal);
    if constexpr (Backend::memory == Memory::host) own_ = std::move(diagonal);
  }

private:
  /// Where it is, or a copy in the memory of a device.
  void show(std::span<const double> diagonal) {
    if constexpr (Backend::memory == Memory::host) {
      view_ = {diagonal.data(), local_rows_, 1, local_rows_};
    } else {
      if (copy_.columns() == 0) copy_ = backend_.allocate(local_rows_, 1);
      backend_.from_host(diagonal, copy_.view());
      view_ = std::as_const(copy_).view();
    }
  }

  const Backend& backend_;
  Product<Backend> product_;
  std::int64_t size_, local_rows_;
  std::vector<double> own_;
  typename Backend::Block copy_;
  typename Backend::ConstView view_;
  DenseBlock dense_block_;
};

/// Multiplies by a stored matrix, which it holds with what its products need.
/// @param backend  must outlive the product
/// @param besides  bytes that the backend needs for something else later
template <class Platform>
Product<typename Platform::Backend> stored_product(const typename Platform::Backend& backend,
                                                   std::unique_ptr<StoredMatrix> matrix,
                                                   std::int64_t besides) {
  struct Held {
    std::unique_ptr<typename Platform::Matrix> matrix;
    typename Platform::MatrixWorkspace workspace = {};
  };
  return [&backend, held = std::make_shared<Held>(Held{Platform::hold(backend, std::move(matrix), besides)})](
             auto x, auto y) { Platform::multiply(backend, *held->matrix, x, y, held->workspace); };
}

/// A string-driven product with what it needs.
template <class Platform>
struct HeldDirect {
  std::unique_ptr<typename Platform::Direct> product;
  typename Platform::DirectWorkspace workspace = {};
};

}  // namespace cisolve
