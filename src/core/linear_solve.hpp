// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

namespace cisolve {

/// x of least |a x - b|, column by column, by a QR decomposition with pivoting; of a matrix without full rank the components
/// that do not count are 0. Eigen's solvers, compiled once and not by each caller.
/// @throws DimensionError if `a` and `b` differ in rows
Eigen::MatrixXd least_squares(const Eigen::Ref<const Eigen::MatrixXd>& a,
                              const Eigen::Ref<const Eigen::MatrixXd>& b);

/// x of a x = b by L D L^T with pivoting; `a` is symmetric and semidefinite, and its lower triangle is read.
/// @throws DimensionError if `a` is not square, or `b` has another number of rows
Eigen::MatrixXd solve_semidefinite(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                   const Eigen::Ref<const Eigen::MatrixXd>& b);

}  // namespace cisolve
