// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/space/bit_string.hpp"

// S^2 by its definition, S- S+ + Sz (Sz + 1): one creator and annihilator after the other.

namespace cisolve::definition {

/// Sign of an annihilator or a creator on a determinant: (-1)^(creators that stand before its own).
template <int Words>
double sign_at(const Determinant<Words>& d, int orbital, bool is_beta) {
  const int before =
      is_beta ? d.alpha.count() + d.beta.count_between(-1, orbital) : d.alpha.count_between(-1, orbital);
  return (before & 1) != 0 ? -1.0 : 1.0;
}

/// Turns the electron of an orbital from beta to alpha, or back. @return the sign
template <int Words>
double turn_spin(Determinant<Words>& d, int orbital, bool from_beta) {
  double sign = sign_at(d, orbital, from_beta);
  (from_beta ? d.beta : d.alpha).reset(orbital);
  sign *= sign_at(d, orbital, !from_beta);
  (from_beta ? d.alpha : d.beta).set(orbital);
  return sign;
}

/// Calls visit(determinant, coefficient) for each determinant of S^2 |d>, hbar^2, once.
template <int Words, class Visit>
void for_each_of_s_squared(const Determinant<Words>& d, Visit&& visit) {
  const double sz = 0.5 * (d.alpha.count() - d.beta.count());
  double diagonal = sz * (sz + 1.0);
  (d.beta & ~d.alpha).for_each([&](int p) {
    Determinant<Words> raised = d;
    const double sign = turn_spin(raised, p, true);
    (raised.alpha & ~raised.beta).for_each([&](int q) {
      Determinant<Words> lowered = raised;
      const double both = sign * turn_spin(lowered, q, false);
      if (q == p) {
        diagonal += both;
      } else {
        visit(lowered, both);
      }
    });
  });
  visit(d, diagonal);
}

}  // namespace cisolve::definition
