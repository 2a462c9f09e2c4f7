// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/core/matrix.hpp"

// Algebra of the small projected matrices, on the host. Free of Eigen, so that the solver's templates
// compile beside any backend.
namespace cisolve::dense {

/// Eigenpairs of a real symmetric matrix, eigenvalues ascending, one eigenvector per column.
struct Eigenpairs {
  std::vector<double> values;
  Matrix vectors;
};

/// @param a  symmetric; its lower triangle is read
/// @throws DimensionError if `a` is not square
/// @throws Error if an element is not finite
Eigenpairs diagonalise(const Matrix& a);

/// a b
Matrix product(const Matrix& a, const Matrix& b);

/// a^T b
Matrix transposed_product(const Matrix& a, const Matrix& b);

/// Columns first .. first + count - 1 of a.
Matrix columns(const Matrix& a, int first, int count);

/// a with rows of zeros appended up to `rows` rows.
Matrix with_rows(const Matrix& a, int rows);

/// [a b], with the columns of b orthonormalised against those of a (orthonormal) and each other.
/// A column of b of which less than the fraction `floor` is independent is left out, and so are
/// those that would make more than max_columns.
Matrix append_orthonormal(const Matrix& a, const Matrix& b, double floor, int max_columns);

/// S, shape p x q with q <= p, such that X S has orthonormal columns, where gram = X^T X
/// (canonical orthogonalisation of the normalised columns). Left out: columns whose norm is below
/// `floor`, and combinations whose squared norm is below max(floor^2, rounding of the gram matrix).
/// @see P.-O. Lowdin, Adv. Quantum Chem. 5 (1970) 185, doi:10.1016/S0065-3276(08)60339-1
Matrix orthonormaliser(const Matrix& gram, double floor);

/// Largest element of |a - 1|.
double distance_to_identity(const Matrix& a);

/// True if no element is infinite or NaN.
bool all_finite(const Matrix& a);

}  // namespace cisolve::dense
