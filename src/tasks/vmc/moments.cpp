// SPDX-License-Identifier: MIT
#include "tasks/vmc/moments.hpp"

#include <cstddef>

namespace cisolve {

void add_moments(const BlockSums& block, std::vector<ReconfigurationMoments>& moments) {
  const auto p = static_cast<std::size_t>(block.parameters),
             n = static_cast<std::size_t>(block.energies_per_chain);
  for (std::size_t chain = 0; chain < moments.size(); ++chain) {
    ReconfigurationMoments& m = moments[chain];
    m.count += block.energies_per_chain;
    for (std::size_t k = 0; k < n; ++k) m.energy += block.energy[chain * n + k];
    for (std::size_t a = 0; a < p; ++a) {
      m.derivatives[a] += block.derivative[chain * p + a];
      m.energy_derivatives[a] += block.derivative_energy[chain * p + a];
      for (std::size_t b = 0; b <= a; ++b)
        m.products[a * p + b] += block.derivative_product[(chain * p + a) * p + b];
    }
  }
}

ReconfigurationEstimate estimate_of(const std::vector<ReconfigurationMoments>& moments) {
  constexpr double rounding = 2e-14;
  ReconfigurationEstimate estimate = estimate_reconfiguration(moments);
  for (int a = 0; a < estimate.overlap.rows(); ++a) {
    const auto at = static_cast<std::size_t>(a);
    double sum = 0.0, count = 0.0;
    for (const ReconfigurationMoments& m : moments) {
      sum += m.derivatives[at];
      count += static_cast<double>(m.count);
    }
    if (estimate.overlap(a, a) > rounding * (sum / count) * (sum / count)) continue;
    estimate.forces[at] = estimate.force_errors[at] = 0.0;
    for (int b = 0; b < estimate.overlap.rows(); ++b) estimate.overlap(a, b) = estimate.overlap(b, a) = 0.0;
  }
  return estimate;
}

}  // namespace cisolve
