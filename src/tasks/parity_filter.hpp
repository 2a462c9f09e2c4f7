// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "cisolve/solver/operator.hpp"
#include "tasks/stored_operator.hpp"

namespace cisolve {

/// The spin parity that a string-driven product keeps to, and within it what another filter lets pass.
class ParityFilter final : public SubspaceFilter<HostBackend> {
public:
  using View = HostBackend::View;
  using ConstView = HostBackend::ConstView;

  /// @param h          with a parity; must outlive this object, as must `backend` and `within`
  /// @param dimension  of the parity's subspace, see parity_dimension
  /// @param within     of a subspace of the parity's; may be null
  ParityFilter(const HostBackend& backend, const HostDirectOperator& h, std::int64_t dimension,
               const SubspaceFilter<HostBackend>* within)
      : backend_(backend), h_(h), dimension_(dimension), within_(within),
        part_(backend.allocate(h.size(), 1)) {}

  std::int64_t dimension() const override { return within_ != nullptr ? within_->dimension() : dimension_; }

  double contamination(ConstView x) const override {
    double largest = within_ != nullptr ? within_->contamination(x) : 0.0;
    Matrix minus(1, 1);
    minus(0, 0) = -1.0;
    const View part = part_.view();
    for (int k = 0; k < x.columns; ++k) {
      backend_.copy(x.slice(k, 1), part);
      h_.project(part);
      backend_.combine(x.slice(k, 1), minus, 1.0, part);
      largest = std::max(largest, backend_.norms(part)[0]);
    }
    return largest;
  }

  void apply(View x) const override {
    h_.project(x);
    if (within_ != nullptr) within_->apply(x);
  }

private:
  const HostBackend& backend_;
  const HostDirectOperator& h_;
  std::int64_t dimension_;
  const SubspaceFilter<HostBackend>* within_;
  mutable HostBackend::Block part_;
};

}  // namespace cisolve
