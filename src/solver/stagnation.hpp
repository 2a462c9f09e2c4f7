// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "cisolve/solver/davidson.hpp"

namespace cisolve {

/// Notices that a run gets nowhere: for `window` iterations no root converged more, the largest
/// residual did not fall by a tenth below its best, and the energies stood still within rounding.
class Stagnation {
public:
  explicit Stagnation(int window) : window_(window) {}

  /// @return true if the run should end
  bool check(const IterationRecord& record, double tolerance);

private:
  int window_;
  int idle_ = 0;
  std::size_t tracked_ = 0;
  std::size_t converged_ = 0;
  double largest_residual_ = std::numeric_limits<double>::infinity();
  double energy_sum_ = std::numeric_limits<double>::infinity();
};

}  // namespace cisolve
