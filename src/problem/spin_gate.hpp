// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "cisolve/solver/operator.hpp"

namespace cisolve {

/// Keeps a search to one spin where measuring the spin of every new direction would cost too much: what comes from
/// anywhere is projected, and H and a preconditioner that commutes with S^2 keep it there, but for rounding. That is
/// measured now and then, and once it has grown, in all new directions: those that have too much of it are projected.
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
    mixed_ = false;
    if (!alert_ && ++looked_ % interval != 0) return of_parity;
    // One column stands for its block: the others come from the same basis.
    const int column = (looked_ / interval) % x.columns;
    const double of_spin = spin_.contamination(alert_ ? x : x.slice(column, 1));
    mixed_ = of_spin > tolerable;
    alert_ = alert_ || mixed_;
    return mixed_ ? std::max(of_parity, of_spin) : of_parity;
  }
  void apply(View x) const override {
    if (parity_ != nullptr) parity_->apply(x);
    if (mixed_) spin_.apply(x);
  }
  void admit(View x) const override {
    if (parity_ != nullptr) parity_->apply(x);
    for (int k = 0; k < x.columns; ++k) {
      const View column = x.slice(k, 1);
      // Where one had to be projected, the next will have to be: measuring that would only cost.
      foreign_ = foreign_ || spin_.contamination(column) > negligible;
      if (foreign_) spin_.apply(column);
    }
  }

private:
  /// Part of other spins in a normalised vector that a search begins with.
  static constexpr double negligible = 1e-8;
  /// The same of a later direction. What grows to that only does so once the roots have little of such a direction; the
  /// effect on an energy is the square of both.
  static constexpr double tolerable = 1e-6;
  /// Calls from one measurement of the spin to the next, of which each block of directions takes two: other spins grow by
  /// up to 50 times from block to block.
  static constexpr int interval = 4;

  const SubspaceFilter<Backend>& spin_;
  const SubspaceFilter<Backend>* parity_;
  mutable int looked_ = 0;
  mutable bool alert_ = false;    ///< all blocks are measured
  mutable bool mixed_ = false;    ///< the one measured last has too much of other spins
  mutable bool foreign_ = false;  ///< something that a search began with was not of one spin
};

}  // namespace cisolve
