// SPDX-License-Identifier: MIT
#include "core/orthonormal.hpp"

#include <Eigen/QR>

namespace cisolve::test {
namespace {

template <class Matrix>
Matrix first_columns_of_q(const Matrix& m) {
  return Eigen::HouseholderQR<Matrix>(m).householderQ() * Matrix::Identity(m.rows(), m.cols());
}

}  // namespace

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& m) { return first_columns_of_q(m); }
Eigen::MatrixXcd orthonormal(const Eigen::MatrixXcd& m) { return first_columns_of_q(m); }

}  // namespace cisolve::test
