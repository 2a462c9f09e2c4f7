// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve::detail {

/// A symmetric matrix of a totally symmetric operator: a block per irrep.
using Blocks = std::vector<Eigen::MatrixXd>;

/// Orthonormal combinations of basis functions of pure irrep.
class OrthonormalBasis {
public:
  /// @param dependence  eigenvalues of the overlap of normalised combinations below are left out
  OrthonormalBasis(const GaussianBasis& basis, const SymmetryFrame& frame, const Matrix& overlap,
                   double dependence);

  int num_irreps() const { return static_cast<int>(vectors_.size()); }
  int num_functions() const { return num_functions_; }
  int num_dependent() const { return num_dependent_; }
  int size(int irrep) const { return static_cast<int>(vectors(irrep).cols()); }

  /// [functions x combinations]
  const Eigen::MatrixXd& vectors(int irrep) const { return vectors_[irrep]; }

  /// X^T m X of each irrep, for operators.
  Blocks project(const Matrix& m) const;

  /// sum X d X^T over the irreps, for densities.
  Matrix expand(const Blocks& d) const;

private:
  int num_functions_;
  int num_dependent_ = 0;
  std::vector<Eigen::MatrixXd> vectors_;
};

}  // namespace cisolve::detail
