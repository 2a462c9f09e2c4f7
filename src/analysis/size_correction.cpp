// SPDX-License-Identifier: MIT
#include "cisolve/analysis/size_correction.hpp"

#include <cmath>
#include <limits>

namespace cisolve {

SizeCorrection size_correction(double c0_squared, double energy, double reference_energy, int electrons) {
  constexpr double least_weight = 0.5;
  if (!(c0_squared > least_weight)) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  const double correlation = energy - reference_energy;
  const double rest = 1.0 - c0_squared;
  const double secant = 1.0 / (2.0 * c0_squared - 1.0);  // 1 / cos(2 theta)
  // The published quotient, with tan^2 = sec^2 - 1 and its numerator's root moved to the denominator:
  // no difference of nearly equal numbers is left where theta is small.
  const double n = electrons;
  const double pople = n * (secant + 1.0) / (std::sqrt(n * n + 2.0 * n * (secant * secant - 1.0)) + n) - 1.0;
  return {rest * correlation, rest / c0_squared * correlation, pople * correlation};
}

}  // namespace cisolve
