// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/solver/operator.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/vectors/host_backend.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
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

/// Host memory; `Storage` is CsrMatrix or HybridMatrix.
template <class Storage>
class HostStoredOperator final : public StoredOperatorBase<HostBackend> {
public:
  HostStoredOperator(const HostBackend& backend, Storage matrix, std::span<const double> diagonal,
                     DenseBlock dense_block)
      : StoredOperatorBase(backend, diagonal, std::move(dense_block)), matrix_(std::move(matrix)) {}

  void apply(HostBackend::ConstView x, HostBackend::View y) const override { spmv(matrix_, x, y, workspace_); }

private:
  Storage matrix_;
  mutable SpmvWorkspace workspace_;
};

#ifdef CISOLVE_HAVE_CUDA
/// Device memory; `Storage` is cuda::DeviceCsrMatrix or cuda::DeviceHybridMatrix.
template <class Storage>
class CudaStoredOperator final : public StoredOperatorBase<cuda::CudaBackend> {
public:
  CudaStoredOperator(const cuda::CudaBackend& backend, Storage matrix, std::span<const double> diagonal,
                     DenseBlock dense_block)
      : StoredOperatorBase(backend, diagonal, std::move(dense_block)), backend_(backend), matrix_(std::move(matrix)) {}

  void apply(cuda::CudaBackend::ConstView x, cuda::CudaBackend::View y) const override {
    cuda::spmv(backend_.stream(), matrix_, x, y, workspace_);
  }

private:
  const cuda::CudaBackend& backend_;
  Storage matrix_;
  mutable cuda::SpmvWorkspace workspace_;
};
#endif

}  // namespace cisolve
