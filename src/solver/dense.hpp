// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <vector>

#include "cisolve/core/matrix.hpp"

// Algebra of the small projected matrices, on the host, for double and std::complex<double>. Free of Eigen, so
// that the solver's templates compile beside any backend.
namespace cisolve::dense {

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

/// Eigenpairs of a Hermitian matrix, eigenvalues ascending, one eigenvector per column.
template <class Scalar>
struct Eigenpairs {
  std::vector<double> values;
  BasicMatrix<Scalar> vectors;
};

/// Orthonormal eigenvectors and eigenvalues of a Hermitian matrix.
/// @param a  Hermitian; its lower triangle is read
/// @throws DimensionError if `a` is not square
/// @throws Error if an element is not finite
template <class Scalar>
Eigenpairs<Scalar> diagonalise(const BasicMatrix<Scalar>& a);

/// Solutions of a v = e metric v with v^H metric v = 1. Combinations of normalised rows whose
/// square in the metric is below floor squared are left out, as are rows so much smaller than the largest: there are
/// then fewer solutions than rows.
/// @param metric  Hermitian, positive semidefinite but for rounding
/// @throws as diagonalise
template <class Scalar>
Eigenpairs<Scalar> diagonalise(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& metric, double floor);

/// a b
template <class Scalar>
BasicMatrix<Scalar> product(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& b);

/// a^H b
template <class Scalar>
BasicMatrix<Scalar> adjoint_product(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& b);

/// Columns first .. first + count - 1 of a.
template <class Scalar>
BasicMatrix<Scalar> columns(const BasicMatrix<Scalar>& a, int first, int count);

/// a with rows of zeros appended up to `rows` rows.
template <class Scalar>
BasicMatrix<Scalar> with_rows(const BasicMatrix<Scalar>& a, int rows);

/// [a b], with the columns of b orthonormalised against those of a (orthonormal) and each other.
/// A column of b of which less than the fraction `floor` is independent is left out, and so are
/// those that would make more than max_columns.
template <class Scalar>
BasicMatrix<Scalar> append_orthonormal(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& b,
                                       double floor, int max_columns);

/// S, shape p x q with q <= p, such that X S has orthonormal columns, where gram = X^H X
/// (canonical orthogonalisation of the normalised columns). Left out: columns whose norm is below
/// `floor`, and combinations whose squared norm is below max(floor^2, rounding of the gram matrix).
/// @param amplification  how many times the rounding of an ordinary inner product the gram matrix may hold,
///                       relative to its diagonal
/// @see P.-O. Lowdin, Adv. Quantum Chem. 5 (1970) 185, doi:10.1016/S0065-3276(08)60339-1
template <class Scalar>
BasicMatrix<Scalar> orthonormaliser(const BasicMatrix<Scalar>& gram, double floor,
                                    double amplification = 1.0);

/// Largest element of |a - 1|.
template <class Scalar>
double distance_to_identity(const BasicMatrix<Scalar>& a);

/// True if no element is infinite or NaN.
template <class Scalar>
bool all_finite(const BasicMatrix<Scalar>& a);

}  // namespace cisolve::dense
