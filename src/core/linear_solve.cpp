// SPDX-License-Identifier: MIT
#include "core/linear_solve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "cisolve/core/error.hpp"

namespace cisolve {

using Eigen::MatrixXd;
namespace {
using Given = Eigen::Ref<const MatrixXd>;
}

MatrixXd least_squares(const Given& a, const Given& b) {
  if (a.rows() != b.rows()) throw DimensionError("least_squares: numbers of rows differ");
  return Eigen::ColPivHouseholderQR<MatrixXd>(a).solve(b);
}

MatrixXd solve_semidefinite(const Given& a, const Given& b) {
  if (a.rows() != a.cols() || a.rows() != b.rows())
    throw DimensionError("solve_semidefinite: the matrix must be square, of as many rows as the right side");
  return Eigen::LDLT<MatrixXd>(a).solve(b);
}

}  // namespace cisolve
