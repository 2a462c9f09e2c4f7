// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

namespace cisolve {

/// Eigenvalues, ascending, and the eigenvectors that belong to them, one per column.
template <class Vectors>
struct Eigenpairs {
  Eigen::VectorXd values;
  Vectors vectors;
};
using SymmetricEigenpairs = Eigenpairs<Eigen::MatrixXd>;
using HermitianEigenpairs = Eigenpairs<Eigen::MatrixXcd>;

/// Orthonormal eigenvectors of a dense real symmetric matrix, of which the lower triangle is read. Eigen's reduction to
/// tridiagonal form and its QL iteration, from a few hundred rows on LAPACK's divide and conquer (Gu and Eisenstat,
/// doi:10.1137/S0895479892241287), behind one door: they are compiled once and not by each caller, which takes half a
/// minute under the sanitizers.
/// @throws DimensionError if `a` is not square
/// @throws Error if the iteration does not converge, as with elements that are not finite
SymmetricEigenpairs symmetric_eigenpairs(const Eigen::Ref<const Eigen::MatrixXd>& a);

/// Orthonormal eigenvectors of a dense complex Hermitian matrix, of which the lower triangle is read.
/// @throws as symmetric_eigenpairs
HermitianEigenpairs symmetric_eigenpairs(const Eigen::Ref<const Eigen::MatrixXcd>& a);

/// The eigenvalues alone.
/// @throws as symmetric_eigenpairs
Eigen::VectorXd symmetric_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& a);

/// Solutions of a v = e metric v with v^T metric v = 1. The metric is symmetric and positive definite.
/// @throws as symmetric_eigenpairs, also if the metric has another shape
SymmetricEigenpairs symmetric_eigenpairs(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                         const Eigen::Ref<const Eigen::MatrixXd>& metric);

/// Solutions of a v = e metric v with v^H metric v = 1. The metric is Hermitian and positive definite.
/// @throws as symmetric_eigenpairs, also if the metric has another shape
HermitianEigenpairs symmetric_eigenpairs(const Eigen::Ref<const Eigen::MatrixXcd>& a,
                                         const Eigen::Ref<const Eigen::MatrixXcd>& metric);

}  // namespace cisolve
