// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// Beyond these a geometry is a mistake.
struct GeometryLimits {
  /// bohr, > 0; farther out, double precision keeps coordinates to less than 1e-10 bohr, and differences between
  /// atoms, and their symmetry, fade.
  double most_coordinate = 1e6;

  std::size_t most_atoms = 1000;  ///< >= 1; the four-index integrals of more fit no machine
};

/// Checks the number of atoms and their coordinates.
/// @param geometry  positions in bohr
/// @param where     begins the message
/// @throws InputError  naming the first atom that is beyond the limits
void check_limits(const Geometry& geometry, const GeometryLimits& limits, const std::string& where);

}  // namespace cisolve
