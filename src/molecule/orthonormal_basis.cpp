// SPDX-License-Identifier: MIT
#include "molecule/orthonormal_basis.hpp"

#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"

namespace cisolve::detail {

OrthonormalBasis::OrthonormalBasis(const GaussianBasis& basis, const SymmetryFrame& frame,
                                   const Matrix& overlap, double dependence)
    : num_functions_(basis.num_functions) {
  const SymmetryOrbitals orbitals = make_symmetry_orbitals(basis, frame);
  Eigen::Index first = 0;
  for (int irrep = 0; irrep < frame.group.num_irreps(); ++irrep) {
    Eigen::Index count = 0;
    for (const int i : orbitals.irreps) count += i == irrep ? 1 : 0;
    Eigen::MatrixXd u = as_eigen(orbitals.vectors).middleCols(first, count);
    first += count;
    for (Eigen::Index k = 0; k < count; ++k)
      u.col(k) /= std::sqrt(u.col(k).dot(as_eigen(overlap) * u.col(k)));
    if (count == 0) {
      vectors_.push_back(std::move(u));
      continue;
    }
    const auto [values, vectors] = symmetric_eigenpairs(u.transpose() * as_eigen(overlap) * u);
    Eigen::Index skip = 0;
    while (skip < count && values[skip] < dependence) ++skip;
    num_dependent_ += static_cast<int>(skip);
    const Eigen::VectorXd scale = values.tail(count - skip).cwiseSqrt().cwiseInverse();
    vectors_.emplace_back(u * vectors.rightCols(count - skip) * scale.asDiagonal());
  }
}

Blocks OrthonormalBasis::project(const Matrix& m) const {
  Blocks blocks;
  for (const Eigen::MatrixXd& x : vectors_) blocks.emplace_back(x.transpose() * as_eigen(m) * x);
  return blocks;
}

Matrix OrthonormalBasis::expand(const Blocks& d) const {
  Matrix m(num_functions_, num_functions_);
  for (std::size_t k = 0; k < vectors_.size(); ++k)
    as_eigen(m) += vectors_[k] * d[k] * vectors_[k].transpose();
  // Exactly symmetric: what is built from it relies on that.
  Eigen::MatrixXd symmetric = 0.5 * (as_eigen(m) + as_eigen(m).transpose());
  as_eigen(m) = symmetric;
  return m;
}

}  // namespace cisolve::detail
