// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/solver/operator.hpp"
#include "cisolve/sparse/stored_matrix.hpp"
#include "cisolve/vectors/host_backend.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/sparse/device_matrix.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#endif

namespace cisolve {

/// H over a set of rows, computed anew from the integrals.
using DenseBlock = std::function<Matrix(std::span<const std::int64_t>)>;

/// A stored matrix as the solver sees it: what the memories have in common.
template <class Backend>
class StoredOperatorBase : public Operator<Backend> {
public:
  StoredOperatorBase(const Backend& backend, std::span<const double> diagonal, DenseBlock dense_block)
      : diagonal_(backend.allocate(std::ssize(diagonal), 1)), dense_block_(std::move(dense_block)) {
    backend.from_host(diagonal, diagonal_.view());
  }
  std::int64_t size() const override { return diagonal_.rows(); }
  typename Backend::ConstView diagonal() const override { return diagonal_.view(); }
  Matrix dense_block(std::span<const std::int64_t> rows) const override { return dense_block_(rows); }

private:
  typename Backend::Block diagonal_;
  DenseBlock dense_block_;
};

/// Host memory.
class HostStoredOperator final : public StoredOperatorBase<HostBackend> {
public:
  HostStoredOperator(const HostBackend& backend, std::unique_ptr<StoredMatrix> matrix,
                     std::span<const double> diagonal, DenseBlock dense_block)
      : StoredOperatorBase(backend, diagonal, std::move(dense_block)), matrix_(std::move(matrix)) {}

  void apply(HostBackend::ConstView x, HostBackend::View y) const override {
    matrix_->multiply(x, y, workspace_);
  }

private:
  std::unique_ptr<StoredMatrix> matrix_;
  mutable SpmvWorkspace workspace_;
};

#ifdef CISOLVE_HAVE_CUDA
/// Device memory.
class CudaStoredOperator final : public StoredOperatorBase<cuda::CudaBackend> {
public:
  CudaStoredOperator(const cuda::CudaBackend& backend, std::unique_ptr<cuda::DeviceMatrix> matrix,
                     std::span<const double> diagonal, DenseBlock dense_block)
      : StoredOperatorBase(backend, diagonal, std::move(dense_block)), backend_(backend),
        matrix_(std::move(matrix)) {}

  void apply(cuda::CudaBackend::ConstView x, cuda::CudaBackend::View y) const override {
    matrix_->multiply(backend_.stream(), x, y, workspace_);
  }

private:
  const cuda::CudaBackend& backend_;
  std::unique_ptr<cuda::DeviceMatrix> matrix_;
  mutable cuda::SpmvWorkspace workspace_;
};
#endif

}  // namespace cisolve
