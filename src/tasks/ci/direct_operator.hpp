// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/solver/eigenspace_filter.hpp"
#include "tasks/ci/stored_operator.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/hamiltonian/direct_product.hpp"
#endif

namespace cisolve {

/// A string-driven product as the solver sees it.
template <class Backend>
class DirectOperator : public Operator<Backend> {
public:
  explicit DirectOperator(DenseBlock dense_block) : dense_block_(std::move(dense_block)) {}

  /// Leaves of each column the part that has the product's spin parity.
  virtual void project(typename Backend::View x) const = 0;

  /// Another diagonal than that of H for the solver's preconditioner, which must outlive this object.
  virtual void use_diagonal(std::span<const double> diagonal) = 0;

  Matrix dense_block(std::span<const std::int64_t> rows) const override { return dense_block_(rows); }

private:
  DenseBlock dense_block_;
};

/// Host memory.
class HostDirectOperator final : public DirectOperator<HostBackend> {
public:
  /// @param product, diagonal  must outlive this object
  HostDirectOperator(const DirectProduct& product, std::span<const double> diagonal, DenseBlock dense_block)
      : DirectOperator(std::move(dense_block)), product_(product), diagonal_(diagonal) {}

  std::int64_t size() const override { return product_.size(); }
  void apply(HostBackend::ConstView x, HostBackend::View y) const override {
    product_.multiply(x, y, workspace_);
  }
  void project(HostBackend::View x) const override { product_.project(x, workspace_); }
  HostBackend::ConstView diagonal() const override { return {diagonal_.data(), size(), 1, size()}; }
  void use_diagonal(std::span<const double> diagonal) override { diagonal_ = diagonal; }

private:
  const DirectProduct& product_;
  std::span<const double> diagonal_;
  mutable DirectWorkspace workspace_;
};

#ifdef CISOLVE_HAVE_CUDA
/// Device memory.
class CudaDirectOperator final : public DirectOperator<cuda::CudaBackend> {
public:
  CudaDirectOperator(const cuda::CudaBackend& backend, cuda::PlannedDirectProduct planned,
                     std::span<const double> diagonal, DenseBlock dense_block)
      : DirectOperator(std::move(dense_block)), backend_(backend),
        product_(std::move(planned), backend.stream()), diagonal_(backend.allocate(product_.size(), 1)) {
    use_diagonal(diagonal);
  }

  std::int64_t size() const override { return product_.size(); }
  void apply(cuda::CudaBackend::ConstView x, cuda::CudaBackend::View y) const override {
    product_.multiply(x, y, workspace_);
  }
  void project(cuda::CudaBackend::View x) const override { product_.project(x, workspace_); }
  cuda::CudaBackend::ConstView diagonal() const override { return diagonal_.view(); }
  void use_diagonal(std::span<const double> diagonal) override {
    backend_.from_host(diagonal, diagonal_.view());
  }

private:
  const cuda::CudaBackend& backend_;
  cuda::DirectProduct product_;
  cuda::CudaBackend::Block diagonal_;
  mutable cuda::DirectWorkspace workspace_;
};
#endif

/// y = S^2 x from strings, for a filter. It is done on the host: vectors of a device go there and back, which
/// takes less than a product with H and is seldom needed.
template <class Backend>
typename EigenspaceFilter<Backend>::Product string_spin_product(
    const Backend& backend, std::shared_ptr<const StringSpin> s_squared) {
  const auto n = static_cast<std::size_t>(s_squared->size());
  if constexpr (Backend::memory == Memory::host) {
    return [s_squared, n](typename Backend::ConstView x, typename Backend::View y) {
      for (int k = 0; k < x.columns; ++k) s_squared->multiply({x.column(k), n}, {y.column(k), n});
    };
  } else {
    struct Buffers {
      Array<double> x, y;
    };
    const auto host = std::make_shared<Buffers>(Buffers{Array<double>(n), Array<double>(n)});
    return [&backend, s_squared, host](typename Backend::ConstView x, typename Backend::View y) {
      for (int k = 0; k < x.columns; ++k) {
        backend.to_host(x.slice(k, 1), host->x);
        s_squared->multiply(host->x, host->y);
        backend.from_host(host->y, y.slice(k, 1));
      }
    };
  }
}

}  // namespace cisolve
