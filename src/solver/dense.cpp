// SPDX-License-Identifier: MIT
#include "solver/dense.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve::dense {
namespace {

Eigen::Map<const Eigen::MatrixXd> map(const Matrix& a) { return {a.data(), a.rows(), a.columns()}; }

Matrix to_matrix(const Eigen::Ref<const Eigen::MatrixXd>& a) {
  Matrix result(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  Eigen::Map<Eigen::MatrixXd>(result.data(), a.rows(), a.cols()) = a;
  return result;
}

}  // namespace

Eigenpairs diagonalise(const Matrix& a) {
  if (a.rows() != a.columns()) throw DimensionError("dense::diagonalise: the matrix must be square");
  if (!all_finite(a)) throw Error("dense::diagonalise: the matrix holds an element that is not finite");
  if (a.rows() == 0) return {};
  const auto [values, vectors] = symmetric_eigenpairs(map(a));
  return {{values.begin(), values.end()}, to_matrix(vectors)};
}

Matrix product(const Matrix& a, const Matrix& b) {
  if (a.columns() != b.rows()) throw DimensionError("dense::product: inner dimensions differ");
  return to_matrix(map(a) * map(b));
}

Matrix transposed_product(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows()) throw DimensionError("dense::transposed_product: inner dimensions differ");
  return to_matrix(map(a).transpose() * map(b));
}

Matrix columns(const Matrix& a, int first, int count) { return to_matrix(map(a).middleCols(first, count)); }

Matrix with_rows(const Matrix& a, int rows) {
  Matrix result(rows, a.columns());
  Eigen::Map<Eigen::MatrixXd>(result.data(), rows, a.columns()).topRows(a.rows()) = map(a);
  return result;
}

Matrix append_orthonormal(const Matrix& a, const Matrix& b, double floor, int max_columns) {
  if (a.rows() != b.rows()) throw DimensionError("dense::append_orthonormal: numbers of rows differ");
  Eigen::MatrixXd basis(a.rows(), a.columns() + b.columns());
  basis.leftCols(a.columns()) = map(a);
  Eigen::Index size = a.columns();
  for (int k = 0; k < b.columns() && size < max_columns; ++k) {
    Eigen::VectorXd v = map(b).col(k);
    const double original = v.norm();
    for (int pass = 0; pass < 2; ++pass) {  // Twice is enough (Kahan; Parlett, sec. 6-9).
      v -= basis.leftCols(size) * (basis.leftCols(size).transpose() * v).eval();
    }
    const double norm = v.norm();
    if (!(norm > floor * original)) continue;
    v /= norm;
    v -= basis.leftCols(size) * (basis.leftCols(size).transpose() * v).eval();
    basis.col(size++) = v.normalized();
  }
  return to_matrix(basis.leftCols(size));
}

Matrix orthonormaliser(const Matrix& gram, double floor) {
  const int p = gram.rows();
  std::vector<int> kept;
  for (int k = 0; k < p; ++k) {
    if (gram(k, k) > 0.0 && std::sqrt(gram(k, k)) >= floor) kept.push_back(k);
  }
  const int size = static_cast<int>(kept.size());
  Matrix normalised(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      const int row = kept[static_cast<std::size_t>(i)], column = kept[static_cast<std::size_t>(j)];
      normalised(i, j) = gram(row, column) / std::sqrt(gram(row, row) * gram(column, column));
    }
  }
  const auto [values, vectors] = diagonalise(normalised);
  // Squared norms below this are rounding errors of the gram matrix itself.
  const double rounding = 16.0 * size * std::numeric_limits<double>::epsilon();
  const double smallest = std::max(floor * floor, rounding);
  const int dropped = static_cast<int>(std::ranges::count_if(values, [&](double v) { return v < smallest; }));
  Matrix s(p, size - dropped);
  // Descending, so that the best-determined direction comes first.
  for (int k = 0; k < size - dropped; ++k) {
    const int from = size - 1 - k;
    for (int i = 0; i < size; ++i) {
      const int row = kept[static_cast<std::size_t>(i)];
      s(row, k) = vectors(i, from) / std::sqrt(values[static_cast<std::size_t>(from)] * gram(row, row));
    }
  }
  return s;
}

double distance_to_identity(const Matrix& a) {
  if (a.rows() == 0) return 0.0;
  return (map(a) - Eigen::MatrixXd::Identity(a.rows(), a.columns())).cwiseAbs().maxCoeff();
}

bool all_finite(const Matrix& a) { return map(a).allFinite(); }

}  // namespace cisolve::dense
