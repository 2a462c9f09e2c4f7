// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

namespace cisolve::test {

/// Q of the QR decomposition of a matrix: orthonormal columns, as many as it has, which keep its blocks. Compiled once and
/// optimised: what a test program instantiates itself, the linker takes for the library, too.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& m);
Eigen::MatrixXcd orthonormal(const Eigen::MatrixXcd& m);

}  // namespace cisolve::test
