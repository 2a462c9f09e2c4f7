// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"
#include "cisolve/molecule/one_electron.hpp"

namespace cisolve {

/// How exactly atoms must lie on a line.
struct LinearityConfig {
  double tolerance = 1e-4;  ///< bohr, > 0; as SymmetryConfig::tolerance
};

/// Unit vector along a linear molecule, from its first atom to the farthest one.
/// @returns nothing for an atom, for molecules that are not linear, and where charges or a field are off the axis
std::optional<Position> linear_axis(const Geometry& geometry, const LinearityConfig& config = {});

/// (r x grad)_n over the functions of a shell, about an axis n through its centre: n . l is -i times this matrix, which
/// is real. Column f holds what becomes of function f.
/// @param shell      of any kind
/// @param direction  n, a unit vector
Matrix shell_rotation(const GaussianShell& shell, const Position& direction);

/// The orbital angular momentum that a molecule conserves, over orbitals: real antisymmetric matrices
/// R_pq = <p| (r x grad)_n |q>, so that L_n = -i sum_pq R_pq E_pq. Of an atom those about x, y, z; of a linear molecule
/// that about its axis; of others none.
/// @throws Error in a build without Libint2
std::vector<Matrix> rotation_matrices(const OrbitalsAt& orbitals);

}  // namespace cisolve
