// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "cisolve/solver/operator.hpp"
#include "problem/operators.hpp"

namespace cisolve {

/// The spin parity that a string-driven product keeps to, and within it what another filter lets pass.
template <class Platform>
class ParityFilter final : public SubspaceFilter<typename Platform::Backend> {
public:
  using Backend = typename Platform::Backend;
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param h          with a parity; must outlive this object, as must `backend`
  /// @param dimension  of the parity's subspace, see parity_dimension
  ParityFilter(const Backend& backend, const DirectOperator<Platform>& h, std::int64_t dimension)
      : backend_(backend), h_(h), dimension_(dimension), part_(backend.allocate(h.size(), 1)) {}

  /// From now on to a subspace of the parity's.
  /// @param within  must outlive this object
  void restrict_to(const SubspaceFilter<Backend>& within) { within_ = &within; }

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
  const Backend& backend_;
  const DirectOperator<Platform>& h_;
  std::int64_t dimension_;
  const SubspaceFilter<Backend>* within_ = nullptr;
  mutable typename Backend::Block part_;
};

}  // namespace cisolve
