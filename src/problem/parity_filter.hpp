// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "cisolve/solver/operator.hpp"

namespace cisolve {

/// The spin parity that a string-driven product keeps to, and within it what another filter lets pass.
template <class Backend>
class ParityFilter final : public SubspaceFilter<Backend> {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param backend    must outlive this object
  /// @param rows       of a vector
  /// @param dimension  of the parity's subspace, see parity_dimension
  /// @param project    leaves of each column the part that has the parity
  ParityFilter(const Backend& backend, std::int64_t rows, std::int64_t dimension,
               std::function<void(View)> project)
      : backend_(backend), dimension_(dimension), project_(std::move(project)),
        part_(backend.allocate(rows, 1)) {}

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
      project_(part);
      backend_.combine(x.slice(k, 1), minus, 1.0, part);
      largest = std::max(largest, backend_.norms(part)[0]);
    }
    return largest;
  }

  void apply(View x) const override {
    project_(x);
    if (within_ != nullptr) within_->apply(x);
  }

private:
  const Backend& backend_;
  std::int64_t dimension_;
  std::function<void(View)> project_;
  const SubspaceFilter<Backend>* within_ = nullptr;
  mutable typename Backend::Block part_;
};

}  // namespace cisolve
