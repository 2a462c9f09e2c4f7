// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cisolve/lattice/cluster.hpp"
#include "cisolve/problem/basis.hpp"

namespace cisolve {

/// Total momenta of degenerate eigenvectors over determinants of the sites of a cluster: by diagonalising the translations
/// by one site along x and y among them.
/// @param vectors  [size of the basis x count], orthonormal
/// @return of each of them, in units of pi, in (-1, 1], ascending; NaN where an eigenvalue's magnitude is not 1 to 1e-6,
///         as the vectors aren't all of a degenerate level
/// @pre the cluster is translation invariant, its angles are multiples of pi
std::vector<std::array<double, 2>> total_momenta(const Cluster& cluster, const Basis& basis,
                                                 std::span<const double> vectors, int count);

}  // namespace cisolve
