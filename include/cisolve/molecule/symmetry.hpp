// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// How exactly a geometry must be symmetric.
struct SymmetryConfig {
  double tolerance = 1e-4;  ///< bohr, > 0; an operation holds if every atom lands this near to another of its
                            ///< kind: coordinates typed with four or five digits are meant to be symmetric
};

/// A symmetry operation of D2h: bit 0, 1, 2 is set if it changes the sign of x, y, z. 3 is the rotation
/// about z, 7 the inversion, 1 the reflection in the yz plane. The product of two is their XOR.
using AxisOperation = int;

/// A molecule in the frame in which its symmetry operations are sign changes of the axes.
struct SymmetryFrame {
  PointGroup group;
  std::vector<AxisOperation> operations;  ///< of the group, identity first
  Geometry geometry;                      ///< in that frame, exactly symmetric
  std::vector<std::vector<int>> images;   ///< [operation][atom]: the atom that it is carried to
  Position origin = {};                   ///< of the frame, in the axes given; bohr
  std::array<Position, 3> axes = {};      ///< the frame's x, y, z in the axes given
  bool reoriented = false;                ///< the axes are not those given; the origin may still be another
  double displacement = 0.0;              ///< bohr; largest shift of an atom that made the geometry symmetric
  std::string largest_group;              ///< that the geometry has
};

/// The largest group of D2h and its subgroups that the geometry has, or the one asked for.
///
/// The axes given are kept if the group's operations are sign changes of them already; of C2v, C2h and C2,
/// the rotation must be about z. Else the axes are turned: C2v then has the mirror plane with more atoms in
/// yz; in D2h, x is perpendicular to the plane with most atoms, and z is the axis with more of them.
/// @param wanted  "auto", or the name of a group, in any case
/// @param where   begins the message
/// @throws InputError  no such group, or the geometry does not have it
SymmetryFrame find_symmetry(const Geometry& geometry, std::string_view wanted, const SymmetryConfig& config,
                            const std::string& where);

/// Frames of several geometries of one molecule along a path: one group for all, the largest that they have
/// in common or the one asked for, and axes named alike: each frame is the one nearest, atom by atom, to that
/// of its neighbour, so that irreps and orbitals mean the same along the path.
/// @param path    not empty; the same atoms in the same order
/// @param wanted  as for find_symmetry
/// @param where   of each geometry, begins messages
/// @throws InputError  as find_symmetry, or the geometries have that group about different axes
std::vector<SymmetryFrame> find_common_symmetry(std::span<const Geometry> path, std::string_view wanted,
                                                const SymmetryConfig& config,
                                                std::span<const std::string> where);

/// Zero-based irrep, in Molpro's order, of a function that changes sign with x, y, z as the bits of
/// `parity` say. The irreps of two parities multiply by XOR, as the parities do.
int irrep_of_parity(const SymmetryFrame& frame, int parity);

/// Combinations of basis functions of pure irrep: columns of `vectors`, sorted by irrep.
struct SymmetryOrbitals {
  Matrix vectors;           ///< [functions x functions]; not normalised, not orthogonal
  std::vector<int> irreps;  ///< [functions]; zero-based
};

SymmetryOrbitals make_symmetry_orbitals(const GaussianBasis& basis, const SymmetryFrame& frame);

/// How an operation moves basis functions: function f goes to sign[f] times function image[f].
struct FunctionImages {
  std::vector<int> shell_image;  ///< [shells]
  std::vector<int> image;        ///< [functions]
  std::vector<double> sign;      ///< [functions]
};

/// How each operation of a frame moves the basis functions, in the order of SymmetryFrame::operations.
std::vector<FunctionImages> function_images(const GaussianBasis& basis, const SymmetryFrame& frame);

}  // namespace cisolve
