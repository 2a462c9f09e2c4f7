// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/space/space.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve::test {

inline constexpr int full = 64;  ///< a level that no space reaches

/// A space of determinants out of the lowest orbitals, over random integrals.
struct SpaceShape {
  int orbitals, alpha, beta, level, irrep, num_irreps;
  double zeros;                                     ///< share of the integrals that vanish
  int low = 0, holes = 0, high = 0, particles = 0;  ///< bounds in the first and the last orbitals

  Integrals integrals() const { return random_integrals(orbitals, num_irreps, zeros, 11); }

  /// Over the orbitals' irreps of `integrals`.
  SpaceSelection<1> selection(const Integrals& integrals) const {
    using String = BitString<1>;
    SpaceSelection<1> s{.num_orbitals = orbitals,
                        .irreps = integrals.irreps,
                        .references = {{String::lowest(alpha), String::lowest(beta)}},
                        .excitation_level = level,
                        .irrep = irrep};
    if (low > 0) s.max_holes = OccupationBound<1>{String::lowest(low), holes};
    if (high > 0)
      s.max_particles =
          OccupationBound<1>{String::lowest(orbitals) & ~String::lowest(orbitals - high), particles};
    return s;
  }
};

}  // namespace cisolve::test
