// SPDX-License-Identifier: MIT
#include "solver/stagnation.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve {

bool Stagnation::check(const IterationRecord& record, double tolerance) {
  constexpr double fall = 0.9;              // A tenth less: a residual that merely wavers does not count.
  constexpr double energy_rounding = 64.0;  // Times the last bit; a Ritz value repeats to some of these.
  const double largest = std::ranges::max(record.residual_norms);
  const std::size_t converged =
      std::ranges::count_if(record.residual_norms, [&](double r) { return r <= tolerance; });
  double sum = 0.0, scale = 0.0;
  for (const double energy : record.energies) {
    sum += energy;
    scale += std::abs(energy);
  }
  const double rounding = energy_rounding * std::numeric_limits<double>::epsilon() * scale;
  if (record.energies.size() != tracked_) {  // Other roots: other sums.
    *this = Stagnation(window_);
    tracked_ = record.energies.size();
  }
  const bool progress =
      converged > converged_ || largest < fall * largest_residual_ || sum < energy_sum_ - rounding;
  converged_ = std::max(converged_, converged);
  largest_residual_ = std::min(largest_residual_, largest);
  energy_sum_ = std::min(energy_sum_, sum);
  idle_ = progress ? 0 : idle_ + 1;
  return idle_ >= window_;
}

}  // namespace cisolve
