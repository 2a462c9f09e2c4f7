// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/lapw/lattice.hpp"

namespace cisolve::lapw {

using ComplexMatrix = BasicMatrix<Complex>;

/// Largest angular momentum that is allowed.
inline constexpr int most_lmax = 24;

/// Functions (l, m) up to lmax: (lmax + 1)^2; 0 for -1.
constexpr int num_functions(int lmax) { return (lmax + 1) * (lmax + 1); }

/// Place of (l, m) among them, from 0.
constexpr int function_index(int l, int m) { return l * (l + 1) + m; }

/// Radial functions u_l and their energy derivatives at the radius of a sphere, by l, in hartree atomic units:
/// int u^2 r^2 dr = 1, int u udot r^2 dr = 0.
struct RadialFunctions {
  std::vector<double> u, u_r;        ///< value and radial derivative
  std::vector<double> udot, udot_r;  ///< of the energy derivative
  std::vector<double> udot_norm;     ///< N_l = int udot^2 r^2 dr
};

/// Elements of the non-spherical part of the potential between (l, m) up to lmax_nonspherical, see MuffinTin.
struct NonsphericalPart {
  ComplexMatrix aa, ab, bb;
};

/// A kind of atom: its sphere and the functions in it. The potential, and all of this, is in the frame of the type.
struct AtomType {
  std::string name = {};
  double radius = 0.0;              ///< bohr
  int lmax = 8;                     ///< 0 .. most_lmax
  int lmax_nonspherical = -1;       ///< <= lmax; -1: the potential counts as spherical
  std::vector<double> energy = {};  ///< E_l, hartree, one per l
  RadialFunctions radial = {};      ///< one per l; empty until they are solved for
  NonsphericalPart nonspherical = {};
};

struct AtomSite {
  int type = 0;                  ///< from 0
  Vector3 position = {};         ///< fractional
  Matrix3 rotation = identity3;  ///< v_local = rotation v; orthogonal, determinant +-1
};

/// What a FLAPW calculation knows of the crystal.
struct Crystal {
  Lattice lattice;
  std::vector<AtomType> types;
  std::vector<AtomSite> atoms;

  /// K: rows of A and B, over all atoms.
  int num_rows() const;
  double smallest_radius() const;
  double largest_radius() const;
};

/// Two spheres that overlap, images included; `first` == `second` is an atom and its own image.
struct SphereOverlap {
  int first = 0, second = 0;  ///< atoms, from 0
  double distance = 0.0;      ///< bohr
};

/// The pair of atoms whose spheres overlap most; none: `distance` < 0. Spheres that touch (to 1e-10) don't.
SphereOverlap find_overlap(const Crystal& crystal);

/// Refuses a lattice of less than 1e-3 bohr^3.
/// @throws InputError  which its volume is, without saying where it is given
void require_volume(const Lattice& lattice);

/// Refuses a rotation that is not orthogonal to 1e-10.
/// @throws InputError  which product of rows is wrong, without saying where it is given
void require_orthogonal(const Matrix3& rotation);

/// Refuses spheres that overlap, images included. The lattice must have a volume.
/// @throws InputError  names the atoms, both radii and the distance
void require_apart(const Crystal& crystal);

}  // namespace cisolve::lapw
