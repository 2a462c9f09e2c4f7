// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

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

/// Small spaces of every kind.
inline std::vector<SpaceShape> small_product_spaces() {
  return {SpaceShape{6, 3, 3, full, any_irrep, 1, 0.0},  // full, no symmetry: one block
          SpaceShape{6, 3, 3, full, any_irrep, 4, 0.0},  // symmetric integrals, all irreps
          SpaceShape{7, 3, 3, full, 2, 4, 0.0},          // full, one irrep
          SpaceShape{7, 3, 3, full, 0, 8, 0.3},          // some irreps have no strings
          SpaceShape{7, 4, 3, full, 1, 2, 0.0},          // Ms = 1/2
          SpaceShape{7, 4, 2, full, any_irrep, 1, 0.0},  // Ms = 1
          SpaceShape{7, 5, 2, full, 0, 4, 0.0},          // Ms = 3/2
          SpaceShape{8, 3, 3, 1, any_irrep, 1, 0.0},     // levels
          SpaceShape{8, 3, 3, 2, 0, 4, 0.0},
          SpaceShape{8, 4, 3, 3, 1, 4, 0.0},
          SpaceShape{8, 4, 4, 4, 0, 4, 0.0},
          SpaceShape{8, 4, 4, 5, any_irrep, 2, 0.0},
          SpaceShape{9, 2, 5, 3, 3, 4, 0.0},             // Ms = -3/2
          SpaceShape{9, 1, 0, full, any_irrep, 2, 0.0},  // one electron
          SpaceShape{9, 0, 1, full, any_irrep, 1, 0.0},
          SpaceShape{9, 1, 1, full, 0, 4, 0.0},
          SpaceShape{7, 7, 6, full, any_irrep, 2, 0.0},  // one hole
          SpaceShape{7, 6, 6, full, any_irrep, 1, 0.0},
          SpaceShape{5, 5, 5, full, any_irrep, 1, 0.0},  // closed: one determinant
          SpaceShape{7, 3, 3, 0, any_irrep, 1, 0.0},     // the reference alone
          SpaceShape{8, 4, 4, 4, 0, 8, 1.0},             // no integral but what is on the diagonal of h
          SpaceShape{6, 3, 3, full, any_irrep, 2, 0.7},  // sparse integrals
          SpaceShape{9, 4, 1, 4, 2, 4, 0.1}};
}

}  // namespace cisolve::test
