// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sampling/configuration.hpp"

namespace cisolve::sampling {

/// A number as sign (-1, 0 or 1) and logarithm.
struct SignedLog {
  double sign = 0.0;
  double log = 0.0;
};

/// Ratios of psi from determinants made anew each time: what a walker is by definition. For tests.
class PlainWalker {
public:
  /// @param trial  outlives it
  explicit PlainWalker(const TrialState& trial) : trial_(trial) {}

  /// Product of the determinants, without the factor g^D.
  SignedLog determinants(const Configuration& at) const;

  double ratio(const Configuration& at, const Move& move) const;
  void update(const Configuration&, const Move&) {}
  void rebuild(const Configuration&) {}

  /// 1 / (|M|_1 |M^-1|_1), of two determinants the smaller.
  double reciprocal_condition(const Configuration& at) const;

  /// Before measurements: the inverse of a bcs state's matrix.
  void settle(const Configuration& at);
  double settled_ratio(const Configuration& at, const Move& move) const { return ratio(at, move); }
  /// W(q, p), W = M^-1.
  double inverse(int down, int up) const { return inverse_[down][up]; }

private:
  using Rows = std::vector<std::vector<double>>;
  std::vector<Rows> matrices(const Configuration& at) const;

  const TrialState& trial_;
  Rows inverse_;
};

}  // namespace cisolve::sampling
