// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "cisolve/solver/operator.hpp"
#include "cisolve/sparse/stored_matrix.hpp"

// What the solver applies, written once. A Platform says what a backend's memory holds:
//   Backend, Matrix, MatrixWorkspace, Direct, DirectWorkspace; hold(backend, matrix), multiply(backend, matrix, x, y,
//   workspace), hold_direct(backend, plan).

namespace cisolve {

/// H over a set of rows, computed anew from the integrals.
using DenseBlock = std::function<Matrix(std::span<const std::int64_t>)>;

/// A stored matrix with what its products need.
template <class Platform>
class StoredProduct {
public:
  using Backend = typename Platform::Backend;

  StoredProduct(const Backend& backend, std::unique_ptr<StoredMatrix> matrix)
      : backend_(backend), matrix_(Platform::hold(backend, std::move(matrix))) {}

  void operator()(typename Backend::ConstView x, typename Backend::View y) const {
    Platform::multiply(backend_, *matrix_, x, y, workspace_);
  }

private:
  const Backend& backend_;
  std::unique_ptr<typename Platform::Matrix> matrix_;
  mutable typename Platform::MatrixWorkspace workspace_;
};

/// What operators have in common: diagonal and dense blocks.
template <class Backend>
class HamiltonianOperator : public Operator<Backend> {
public:
  /// @param diagonal  for the solver's preconditioner, which may be another than that of H; must outlive this object
  HamiltonianOperator(const Backend& backend, std::span<const double> diagonal, DenseBlock dense_block)
      : backend_(backend), size_(std::ssize(diagonal)), dense_block_(std::move(dense_block)) {
    use_diagonal(diagonal);
  }

  std::int64_t size() const override { return size_; }
  typename Backend::ConstView diagonal() const override { return view_; }
  Matrix dense_block(std::span<const std::int64_t> rows) const override { return dense_block_(rows); }

  void use_diagonal(std::span<const double> diagonal) {
    if constexpr (Backend::memory == Memory::host) {
      view_ = {diagonal.data(), size_, 1, size_};  // where it is
    } else {
      if (copy_.rows() == 0) copy_ = backend_.allocate(size_, 1);
      backend_.from_host(diagonal, copy_.view());
      view_ = std::as_const(copy_).view();
    }
  }

private:
  const Backend& backend_;
  std::int64_t size_;
  typename Backend::Block copy_;
  typename Backend::ConstView view_;
  DenseBlock dense_block_;
};

template <class Platform>
class StoredOperator final : public HamiltonianOperator<typename Platform::Backend> {
public:
  using Backend = typename Platform::Backend;

  StoredOperator(const Backend& backend, std::unique_ptr<StoredMatrix> matrix,
                 std::span<const double> diagonal, DenseBlock dense_block)
      : HamiltonianOperator<Backend>(backend, diagonal, std::move(dense_block)),
        product_(backend, std::move(matrix)) {}

  void apply(typename Backend::ConstView x, typename Backend::View y) const override { product_(x, y); }

private:
  StoredProduct<Platform> product_;
};

template <class Platform>
class DirectOperator final : public HamiltonianOperator<typename Platform::Backend> {
public:
  using Backend = typename Platform::Backend;

  DirectOperator(const Backend& backend, std::unique_ptr<typename Platform::Direct> product,
                 std::span<const double> diagonal, DenseBlock dense_block)
      : HamiltonianOperator<Backend>(backend, diagonal, std::move(dense_block)),
        product_(std::move(product)) {}

  void apply(typename Backend::ConstView x, typename Backend::View y) const override {
    product_->multiply(x, y, workspace_);
  }

  /// Leaves of each column the part that has the product's spin parity.
  void project(typename Backend::View x) const { product_->project(x, workspace_); }

private:
  std::unique_ptr<typename Platform::Direct> product_;
  mutable typename Platform::DirectWorkspace workspace_;
};

}  // namespace cisolve
