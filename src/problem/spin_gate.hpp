// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "cisolve/solver/operator.hpp"

namespace cisolve {

/// Keeps a search to one spin where measuring the spin of every new direction would cost too much: what comes from
/// anywhere is projected, and H and a preconditioner that commutes with S^2 keep it there, but for rounding. That is
/// measured now and then; once it has grown, all new directions are projected.
template <class Backend>
class SpinGate final : public SubspaceFilter<Backend> {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param spin    the projection on S^2
  /// @param parity  of the product, may be null
  /// Both must outlive this object.
  SpinGate(const SubspaceFilter<Backend>& spin, const SubspaceFilter<Backend>* parity)
      : spin_(spin), parity_(parity) {}

  std::int64_t dimension() const override { return spin_.dimension(); }
  double contamination(ConstView x) const override {
    const double of_parity = parity_ != nullptr ? parity_->contamination(x) : 0.0;
    if (!alert_ && ++looked_ % interval != 0) return of_parity;
    const double of_spin = spin_.contamination(x);
    alert_ = alert_ || of_spin > tolerable;
    return alert_ ? std::max(of_parity, of_spin) : of_parity;
  }
  void apply(View x) const override {
    if (parity_ != nullptr) parity_->apply(x);
    if (alert_) spin_.apply(x);
  }
  void admit(View x) const override {
    if (parity_ != nullptr) parity_->apply(x);
    for (int k = 0; k < x.columns; ++k) {
      const View column = x.slice(k, 1);
      if (spin_.contamination(column) > tolerable) spin_.apply(column);
    }
  }

private:
  /// Part of another spin in a normalised vector; the effect on an energy is the square.
  static constexpr double tolerable = 1e-8;
  /// Calls from one measurement of the spin to the next. Each block of directions is looked at twice.
  static constexpr int interval = 6;

  const SubspaceFilter<Backend>& spin_;
  const SubspaceFilter<Backend>* parity_;
  mutable int looked_ = 0;
  mutable bool alert_ = false;
};

}  // namespace cisolve
