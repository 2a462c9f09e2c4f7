// SPDX-License-Identifier: MIT
#include "cisolve/solver/eigenspace_filter.hpp"

#include "solver/dense.hpp"

namespace cisolve {

Matrix eigenvectors_within(const ModelSpace& model, const Matrix& a, double eigenvalue, double width) {
  const int rows = static_cast<int>(model.rows.size());
  if (a.rows() != rows || a.columns() != rows) {
    throw DimensionError("eigenvectors_within: one row and column per row of the model space is needed");
  }
  const auto [values, vectors] = dense::diagonalise(a);
  const auto first = std::lower_bound(values.begin(), values.end(), eigenvalue - width);
  const auto last = std::upper_bound(first, values.end(), eigenvalue + width);
  if (first == last) return Matrix(rows, 0);
  const Matrix inside =
      dense::columns(vectors, static_cast<int>(first - values.begin()), static_cast<int>(last - first));
  // H = V E V^T, projected.
  const Matrix overlap = dense::adjoint_product(model.vectors, inside);
  Matrix scaled = overlap;
  for (int k = 0; k < scaled.columns(); ++k) {
    for (int i = 0; i < rows; ++i) scaled(i, k) *= model.energies[i];
  }
  return dense::product(inside, dense::diagonalise(dense::adjoint_product(overlap, scaled)).vectors);
}

}  // namespace cisolve
