// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// A bond length, a bond angle or a dihedral angle, and the atoms that move when it changes.
struct InternalCoordinate {
  enum class Kind { bond, angle, dihedral };
  Kind kind = Kind::bond;
  std::vector<int> atoms;  ///< zero-based: 2, 3 or 4, the angle at the second, the dihedral about 2-3
  std::vector<int> moved;  ///< zero-based; the last of `atoms` among them, none of the others
};

/// Reads "bond 1 2", "angle 2 1 3" or "dihedral 1 2 3 4"; atoms count from 1. The last atom moves; "moving"
/// with a list moves others with it: "bond 1 2 moving 2 5 6".
/// @param where  begins the message
/// @throws InputError  it cannot be read, or there is no such atom
InternalCoordinate parse_internal_coordinate(std::string_view text, const Geometry& geometry,
                                             const std::string& where);

/// Value of a coordinate in a geometry, bohr or degrees; a dihedral from -180 to 180, positive clockwise when
/// seen along its axis from atom 2 to 3.
double value_of(const InternalCoordinate& coordinate, const Geometry& geometry);

/// Moves atoms as one rigid body so that the coordinate has a value: along the bond, about the vertex in the
/// plane of the angle, about the axis of the dihedral.
/// @param value  bohr or degrees
/// @param where  begins the message
/// @throws InputError  a bond that is not above 0, an angle outside 0 to 180, a dihedral of atoms on a line
void set_value(const InternalCoordinate& coordinate, double value, Geometry& geometry,
               const std::string& where);

}  // namespace cisolve
