// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

namespace cisolve {

/// A variational energy over selected determinants, and what perturbation theory says of all others, hartree.
struct SelectedPoint {
  double energy = 0.0;
  double second_order = 0.0;        ///< E2
  double second_order_error = 0.0;  ///< standard error, where it was sampled
};

/// The energy where nothing is left for perturbation theory.
struct Extrapolation {
  double energy = 0.0;  ///< hartree
  double error = 0.0;   ///< hartree: an estimate, see extrapolate
};

/// Extrapolates variational energies to E2 = 0 by a polynomial in E2, weights 1/E2^2: of second degree through the last
/// four points, else of first degree through what there is. Points whose E2 is not a quarter larger than that of the next
/// one that counts are left out, and those whose E2 is not negative.
///
/// The error is the largest of: the distance of the limit from E + E2 of the last point, the difference between first and
/// second degree over the same points, the spread of the points about the polynomial, the sampling error of the last E2, and a
/// twentieth of the last E2. It is an estimate for states that one picture describes all along: where the character of a
/// state changes as the list grows, or perturbation theory fails, no polynomial knows.
/// @param points  in the order of growth
/// @return none: fewer than two points, no negative E2 at the last one, or a limit above its energy, which is a bound
/// @see A. A. Holmes, C. J. Umrigar, S. Sharma, J. Chem. Phys. 147 (2017) 164111, doi:10.1063/1.4998614
std::optional<Extrapolation> extrapolate(std::span<const SelectedPoint> points);

}  // namespace cisolve
