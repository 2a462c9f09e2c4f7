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

/// Mulliken charges of the atoms, in units of e: the nuclear charge less the diagonal of D S over the atom's
/// functions.
/// @param density  [functions x functions], spin-summed
/// @throws Error in a build without Libint2
/// @see R. S. Mulliken, J. Chem. Phys. 23 (1955) 1833, doi:10.1063/1.1740588
std::vector<double> mulliken_charges(const GaussianBasis& basis, const Geometry& geometry,
                                     const Matrix& density);

}  // namespace cisolve
