// SPDX-License-Identifier: MIT
#include "solver/dense.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve::dense {
namespace {

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

template <class Scalar>
Eigen::Map<const Dense<Scalar>> map(const BasicMatrix<Scalar>& a) {
  return {a.data(), a.rows(), a.columns()};
}

template <class Expression>
auto to_matrix(const Expression& a) {
  using Scalar = typename Expression::Scalar;
  BasicMatrix<Scalar> result(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  Eigen::Map<Dense<Scalar>>(result.data(), a.rows(), a.cols()) = a;
  return result;
}

template <class Scalar>
BasicMatrix<Scalar> scaled(const BasicMatrix<Scalar>& a, double factor) {
  return to_matrix(map(a) * factor);
}

}  // namespace

template <class Scalar>
Eigenpairs<Scalar> diagonalise(const BasicMatrix<Scalar>& a) {
  if (a.rows() != a.columns()) throw DimensionError("dense::diagonalise: the matrix must be square");
  if (!all_finite(a)) throw Error("dense::diagonalise: the matrix holds an element that is not finite");
  if (a.rows() == 0) return {};
  const auto [values, vectors] = symmetric_eigenpairs(map(a));
  return {{values.begin(), values.end()}, to_matrix(vectors)};
}

template <class Scalar>
Eigenpairs<Scalar> diagonalise(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& metric,
                               double floor) {
  if (a.rows() != metric.rows())
    throw DimensionError("dense::diagonalise: matrix and metric differ in shape");
  double largest = 0.0;
  for (int k = 0; k < metric.rows(); ++k) largest = std::max(largest, std::real(metric(k, k)));
  if (!(largest > 0.0)) return {{}, BasicMatrix<Scalar>(a.rows(), 0)};
  const BasicMatrix<Scalar> relative = scaled(metric, 1.0 / largest);
  const BasicMatrix<Scalar> s = scaled(orthonormaliser(relative, floor), 1.0 / std::sqrt(largest));
  auto [values, vectors] = diagonalise(adjoint_product(s, product(a, s)));
  return {std::move(values), product(s, vectors)};
}

template <class Scalar>
BasicMatrix<Scalar> product(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& b) {
  if (a.columns() != b.rows()) throw DimensionError("dense::product: inner dimensions differ");
  return to_matrix(map(a) * map(b));
}

template <class Scalar>
BasicMatrix<Scalar> adjoint_product(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& b) {
  if (a.rows() != b.rows()) throw DimensionError("dense::adjoint_product: inner dimensions differ");
  return to_matrix(map(a).adjoint() * map(b));
}

template <class Scalar>
BasicMatrix<Scalar> columns(const BasicMatrix<Scalar>& a, int first, int count) {
  return to_matrix(map(a).middleCols(first, count));
}

template <class Scalar>
BasicMatrix<Scalar> with_rows(const BasicMatrix<Scalar>& a, int rows) {
  BasicMatrix<Scalar> result(rows, a.columns());
  Eigen::Map<Dense<Scalar>>(result.data(), rows, a.columns()).topRows(a.rows()) = map(a);
  return result;
}

template <class Scalar>
BasicMatrix<Scalar> append_orthonormal(const BasicMatrix<Scalar>& a, const BasicMatrix<Scalar>& b,
                                       double floor, int max_columns) {
  if (a.rows() != b.rows()) throw DimensionError("dense::append_orthonormal: numbers of rows differ");
  Dense<Scalar> basis(a.rows(), a.columns() + b.columns());
  basis.leftCols(a.columns()) = map(a);
  Eigen::Index size = a.columns();
  for (int k = 0; k < b.columns() && size < max_columns; ++k) {
    Eigen::Vector<Scalar, Eigen::Dynamic> v = map(b).col(k);
    const double original = v.norm();
    for (int pass = 0; pass < 2; ++pass) {  // Twice is enough (Kahan; Parlett, sec. 6-9).
      v -= basis.leftCols(size) * (basis.leftCols(size).adjoint() * v).eval();
    }
    const double norm = v.norm();
    if (!(norm > floor * original)) continue;
    v /= norm;
    v -= basis.leftCols(size) * (basis.leftCols(size).adjoint() * v).eval();
    basis.col(size++) = v.normalized();
  }
  return to_matrix(basis.leftCols(size));
}

template <class Scalar>
BasicMatrix<Scalar> orthonormaliser(const BasicMatrix<Scalar>& gram, double floor, double amplification) {
  const int p = gram.rows();
  const auto square = [&](int k) { return std::real(gram(k, k)); };
  std::vector<int> kept;
  for (int k = 0; k < p; ++k) {
    if (square(k) > 0.0 && std::sqrt(square(k)) >= floor) kept.push_back(k);
  }
  const int size = static_cast<int>(kept.size());
  BasicMatrix<Scalar> normalised(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      const int row = kept[i], column = kept[j];
      normalised(i, j) = gram(row, column) / std::sqrt(square(row) * square(column));
    }
  }
  const auto [values, vectors] = diagonalise(normalised);
  // Squared norms below this are rounding errors of the gram matrix itself: a few last bits for each of its rows.
  constexpr double roundings = 16.0;
  const double rounding = roundings * size * std::numeric_limits<double>::epsilon() * amplification;
  const double smallest = std::max(floor * floor, rounding);
  const int dropped = static_cast<int>(std::ranges::count_if(values, [&](double v) { return v < smallest; }));
  BasicMatrix<Scalar> s(p, size - dropped);
  // Descending, so that the best-determined direction comes first.
  for (int k = 0; k < size - dropped; ++k) {
    const int from = size - 1 - k;
    for (int i = 0; i < size; ++i) {
      const int row = kept[i];
      s(row, k) = vectors(i, from) / std::sqrt(values[from] * square(row));
    }
  }
  return s;
}

template <class Scalar>
double distance_to_identity(const BasicMatrix<Scalar>& a) {
  if (a.rows() == 0) return 0.0;
  return (map(a) - Dense<Scalar>::Identity(a.rows(), a.columns())).cwiseAbs().maxCoeff();
}

template <class Scalar>
bool all_finite(const BasicMatrix<Scalar>& a) {
  return map(a).allFinite();
}

#define INSTANTIATE(Scalar)                                                                                \
  template Eigenpairs<Scalar> diagonalise(const BasicMatrix<Scalar>&);                                     \
  template Eigenpairs<Scalar> diagonalise(const BasicMatrix<Scalar>&, const BasicMatrix<Scalar>&, double); \
  template BasicMatrix<Scalar> product(const BasicMatrix<Scalar>&, const BasicMatrix<Scalar>&);            \
  template BasicMatrix<Scalar> adjoint_product(const BasicMatrix<Scalar>&, const BasicMatrix<Scalar>&);    \
  template BasicMatrix<Scalar> columns(const BasicMatrix<Scalar>&, int, int);                              \
  template BasicMatrix<Scalar> with_rows(const BasicMatrix<Scalar>&, int);                                 \
  template BasicMatrix<Scalar> append_orthonormal(const BasicMatrix<Scalar>&, const BasicMatrix<Scalar>&,  \
                                                  double, int);                                            \
  template BasicMatrix<Scalar> orthonormaliser(const BasicMatrix<Scalar>&, double, double);                \
  template double distance_to_identity(const BasicMatrix<Scalar>&);                                        \
  template bool all_finite(const BasicMatrix<Scalar>&);
INSTANTIATE(double)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace cisolve::dense
