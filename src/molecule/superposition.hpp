// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "cisolve/molecule/symmetry.hpp"

namespace cisolve::detail {

/// How a geometry lies in the frame of a calculation.
struct Superposition {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< position in the frame = turn (position - origin)
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  std::vector<int> atom;  ///< of the frame, for each atom of the geometry
};

/// Lays a geometry over that of a frame: it may be in the frame, in the axes that the frame was made from, or turned in
/// any way (then with its atoms in the same order).
/// @param tolerance  bohr, of an atom
/// @param where      begins the message
/// @throws InputError  other atoms, or none of these lies over the frame's; says how far off the nearest is
Superposition superpose(const Geometry& geometry, const SymmetryFrame& frame, double tolerance,
                        const std::string& where);

}  // namespace cisolve::detail
