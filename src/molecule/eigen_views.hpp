// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "cisolve/core/matrix.hpp"

namespace cisolve::detail {

inline Eigen::Map<const Eigen::MatrixXd> as_eigen(const Matrix& m) {
  return {m.data(), m.rows(), m.columns()};
}
inline Eigen::Map<Eigen::MatrixXd> as_eigen(Matrix& m) { return {m.data(), m.rows(), m.columns()}; }

inline Matrix to_matrix(const Eigen::MatrixXd& m) {
  Matrix out(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
  as_eigen(out) = m;
  return out;
}

inline std::size_t as_size(Eigen::Index n) { return static_cast<std::size_t>(n); }

/// A symmetric matrix from its packed lower triangle; `m` has its size.
inline void unpack_symmetric(const double* packed, Eigen::MatrixXd& m) {
  for (Eigen::Index r = 0; r < m.rows(); ++r, packed += r) {
    for (Eigen::Index s = 0; s <= r; ++s) {
      m(s, r) = packed[s];
      m(r, s) = packed[s];
    }
  }
}

/// Appends the elements of a matrix, column by column.
inline void append(const Eigen::MatrixXd& m, Eigen::VectorXd& to) {
  const Eigen::Index old = to.size();
  to.conservativeResize(old + m.size());
  to.tail(m.size()) = m.reshaped();
}

/// Threads for dense algebra on matrices of a hundred rows: it gains nothing from more, and its last bits would depend
/// on their number.
inline constexpr int threads_for_small_matrices = 1;

}  // namespace cisolve::detail
