// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/planned_direct_product.hpp"

#include "cuda/core/cublas_handle.hpp"
#include "cuda/hamiltonian/direct/plan.hpp"

namespace cisolve::cuda {

PlannedDirectProduct::PlannedDirectProduct(const cisolve::DirectProduct& host, const DirectConfig& config)
    : host_(&host), plan_(std::make_unique<direct::DirectPlan>(host, config)) {}
PlannedDirectProduct::PlannedDirectProduct(const cisolve::DirectProduct& host, const DirectConfig& config,
                                           const StringShares& shares)
    : host_(&host), plan_(std::make_unique<direct::DirectPlan>(host, config, &shares)) {}
PlannedDirectProduct::~PlannedDirectProduct() = default;
PlannedDirectProduct::PlannedDirectProduct(PlannedDirectProduct&&) noexcept = default;

DirectBytes PlannedDirectProduct::bytes() const {
  return {plan_->device_bytes() + static_cast<std::int64_t>(CublasHandle::workspace_bytes),
          plan_->vectors.bytes()};
}
int PlannedDirectProduct::strips() const { return static_cast<int>(plan_->strips.size()); }
std::string_view PlannedDirectProduct::why_whole() const { return plan_->why_whole; }
std::int64_t PlannedDirectProduct::local_rows() const { return plan_->layout.num_rows; }
std::int64_t PlannedDirectProduct::host_bytes() const { return plan_->host_bytes(); }

}  // namespace cisolve::cuda
