// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

#include "cisolve/molecule/one_electron.hpp"

namespace cisolve::detail {

/// Coefficients over symmetrically orthonormalised functions: S^1/2 C.
Eigen::MatrixXd orthonormal_coefficients(const OrbitalsAt& orbitals);

}  // namespace cisolve::detail
