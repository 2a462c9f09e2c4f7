// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// Position integrals <m| x - x0 |n>, and of y and z, over basis functions, bohr.
/// @throws Error in a build without Libint2
std::array<Matrix, 3> position_integrals(const GaussianBasis& basis, const Position& origin);

/// Second moments <m| (a - a0) (b - b0) |n> over basis functions for ab = xx, xy, xz, yy, yz, zz, bohr^2.
/// @throws Error in a build without Libint2
std::array<Matrix, 6> second_moment_integrals(const GaussianBasis& basis, const Position& origin);

/// Mulliken populations of the atoms: the diagonal of D S over the functions of each. Of a difference of the densities
/// of alpha and beta electrons they are spin populations.
/// @param density  [functions x functions]
/// @throws Error in a build without Libint2
/// @see R. S. Mulliken, J. Chem. Phys. 23 (1955) 1833, doi:10.1063/1.1740588
std::vector<double> mulliken_populations(const GaussianBasis& basis, const Geometry& geometry,
                                         const Matrix& density);

/// Mulliken charges of the atoms, in units of e: the nuclear charge less the diagonal of D S over the atom's
/// functions.
/// @param density  [functions x functions], spin-summed
/// @throws Error in a build without Libint2
/// @see R. S. Mulliken, J. Chem. Phys. 23 (1955) 1833, doi:10.1063/1.1740588
std::vector<double> mulliken_charges(const GaussianBasis& basis, const Geometry& geometry,
                                     const Matrix& density);

/// Orbitals of a molecule at one geometry.
struct OrbitalsAt {
  const GaussianBasis& basis;
  const Geometry& geometry;
  const Matrix& coefficients;  ///< [functions x orbitals]
};

/// Overlaps of orbitals at two geometries, that is how much of each earlier orbital is in each one here, as
/// if the functions had moved with the atoms: the overlap C^T S^1/2 S'^1/2 C' between coefficients over
/// symmetrically orthonormalised functions.
/// @returns [orbitals here x orbitals earlier], elements from -1 to 1
/// @throws DimensionError  the two have different numbers of functions
/// @see P.-O. Lowdin, J. Chem. Phys. 18 (1950) 365, doi:10.1063/1.1747632
Matrix carried_overlap(const OrbitalsAt& here, const OrbitalsAt& earlier);

/// Orbitals of an earlier geometry over the functions of this one, orthonormal as they were: S^-1/2 S'^1/2 C'. Their
/// carried_overlap with the earlier ones is the unit matrix.
/// @returns [functions x orbitals earlier]
/// @throws DimensionError  as carried_overlap
Matrix carried_coefficients(const GaussianBasis& basis, const Geometry& geometry, const OrbitalsAt& earlier);

}  // namespace cisolve
