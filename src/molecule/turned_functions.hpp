// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

namespace cisolve::detail {

/// How the functions of a shell turn with the axes: column i holds function i of the old axes as a combination of those
/// of the new ones, which see the same point at `turn` times its old coordinates.
/// @param angular_momentum  up to h
/// @param turn              orthogonal, determinant 1
Eigen::MatrixXd turned_functions(int angular_momentum, bool spherical, const Eigen::Matrix3d& turn);

}  // namespace cisolve::detail
