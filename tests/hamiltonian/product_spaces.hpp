// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/space/space.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve::test {

inline constexpr int full = 64;  ///< a level that no space reaches

/// A space of determinants out of the lowest orbitals, over random integrals.
struct SpaceShape {
  /// At most so many holes or electrons in so many orbitals; in none: no bound.
  struct Bound {
    int orbitals = 0, most = 0;
  };

  int orbitals = 0, alpha = 0, beta = 0;
  int level = full;           ///< excitation level out of the lowest orbitals
  int irrep = any_irrep;      ///< of the space, zero-based
  int num_irreps = 1;         ///< that the orbitals have
  double zeros = 0.0;         ///< share of the integrals that vanish
  Bound holes = {};           ///< in the first orbitals
  Bound particles = {};       ///< in the last orbitals
  bool unrestricted = false;  ///< beta electrons have orbitals of their own

  Integrals integrals() const {
    return unrestricted ? random_unrestricted_integrals(orbitals, num_irreps, zeros, 11)
                        : random_integrals(orbitals, num_irreps, zeros, 11);
  }

  /// Over the orbitals' irreps of `integrals`.
  SpaceSelection<1> selection(const Integrals& integrals) const {
    using String = BitString<1>;
    SpaceSelection<1> s{.num_orbitals = orbitals,
                        .irreps = integrals.irreps,
                        .references = {{String::lowest(alpha), String::lowest(beta)}},
                        .excitation_level = level,
                        .irrep = irrep};
    if (holes.orbitals > 0) s.max_holes = OccupationBound<1>{String::lowest(holes.orbitals), holes.most};
    if (particles.orbitals > 0) {
      const String last = String::lowest(orbitals) & ~String::lowest(orbitals - particles.orbitals);
      s.max_particles = OccupationBound<1>{last, particles.most};
    }
    return s;
  }
};

/// A shape with bounds on holes in the first orbitals and on electrons in the last.
inline SpaceShape bounded(SpaceShape shape, SpaceShape::Bound holes, SpaceShape::Bound particles = {}) {
  shape.holes = holes;
  shape.particles = particles;
  return shape;
}

/// A shape whose spins have orbitals of their own.
inline SpaceShape unrestricted(SpaceShape shape) {
  shape.unrestricted = true;
  return shape;
}

/// Small spaces of every kind.
inline std::vector<SpaceShape> small_product_spaces() {
  return {
      SpaceShape{.orbitals = 6, .alpha = 3, .beta = 3},                   // full, no symmetry: one block
      SpaceShape{.orbitals = 6, .alpha = 3, .beta = 3, .num_irreps = 4},  // symmetric integrals, all irreps
      SpaceShape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4},  // full, one irrep
      SpaceShape{.orbitals = 7,
                 .alpha = 3,
                 .beta = 3,
                 .irrep = 0,
                 .num_irreps = 8,
                 .zeros = 0.3},  // some irreps have no strings
      SpaceShape{.orbitals = 7, .alpha = 4, .beta = 3, .irrep = 1, .num_irreps = 2},  // Ms = 1/2
      SpaceShape{.orbitals = 7, .alpha = 4, .beta = 2},                               // Ms = 1
      SpaceShape{.orbitals = 7, .alpha = 5, .beta = 2, .irrep = 0, .num_irreps = 4},  // Ms = 3/2
      SpaceShape{.orbitals = 8, .alpha = 3, .beta = 3, .level = 1},                   // levels
      SpaceShape{.orbitals = 8, .alpha = 3, .beta = 3, .level = 2, .irrep = 0, .num_irreps = 4},
      SpaceShape{.orbitals = 8, .alpha = 4, .beta = 3, .level = 3, .irrep = 1, .num_irreps = 4},
      SpaceShape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4},
      SpaceShape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 5, .num_irreps = 2},
      SpaceShape{.orbitals = 9, .alpha = 2, .beta = 5, .level = 3, .irrep = 3, .num_irreps = 4},  // Ms = -3/2
      SpaceShape{.orbitals = 9, .alpha = 1, .beta = 0, .num_irreps = 2},  // one electron
      SpaceShape{.orbitals = 9, .alpha = 0, .beta = 1},
      SpaceShape{.orbitals = 9, .alpha = 1, .beta = 1, .irrep = 0, .num_irreps = 4},
      SpaceShape{.orbitals = 7, .alpha = 7, .beta = 6, .num_irreps = 2},  // one hole
      SpaceShape{.orbitals = 7, .alpha = 6, .beta = 6},
      SpaceShape{.orbitals = 5, .alpha = 5, .beta = 5},              // closed: one determinant
      SpaceShape{.orbitals = 7, .alpha = 3, .beta = 3, .level = 0},  // the reference alone
      SpaceShape{.orbitals = 8,
                 .alpha = 4,
                 .beta = 4,
                 .level = 4,
                 .irrep = 0,
                 .num_irreps = 8,
                 .zeros = 1.0},  // no integral but what is on the diagonal of h
      SpaceShape{.orbitals = 6, .alpha = 3, .beta = 3, .num_irreps = 2, .zeros = 0.7},  // sparse integrals
      SpaceShape{.orbitals = 9, .alpha = 4, .beta = 1, .level = 4, .irrep = 2, .num_irreps = 4, .zeros = 0.1},
      unrestricted({.orbitals = 6, .alpha = 3, .beta = 3}),  // the same strings, other excitations
      unrestricted({.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4, .zeros = 0.3}),
      unrestricted({.orbitals = 7, .alpha = 4, .beta = 2, .num_irreps = 2}),
      unrestricted({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4}),
      unrestricted({.orbitals = 9, .alpha = 2, .beta = 5, .level = 3, .irrep = 3, .num_irreps = 4}),
      unrestricted({.orbitals = 7, .alpha = 6, .beta = 6, .zeros = 0.6})};
}

}  // namespace cisolve::test
