// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <algorithm>

#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"

namespace cisolve::detail {
namespace {

/// Symmetrically orthonormalised columns; none if they are dependent.
std::optional<Eigen::MatrixXd> orthonormalised(const Eigen::MatrixXd& y) {
  constexpr double dependent =
      1e-3;  // of the metric of orbitals that were orthonormal: nothing to start from
  if (y.cols() == 0) return y;
  const auto [values, vectors] = symmetric_eigenpairs(y.transpose() * y);
  if (values[0] < dependent) return std::nullopt;
  return y * (vectors * values.cwiseSqrt().cwiseInverse().asDiagonal() * vectors.transpose());
}

}  // namespace

std::optional<OccupiedOrbitals> carry_occupied(const ScfOrbitals& earlier, const OrthonormalBasis& basis,
                                               const Matrix& overlap) {
  const int irreps = basis.num_irreps();
  if (earlier.coefficients.rows() != basis.num_functions()) return std::nullopt;
  if (std::any_of(earlier.irreps.begin(), earlier.irreps.end(), [=](int irrep) { return irrep >= irreps; }))
    return std::nullopt;
  OccupiedOrbitals carried;
  for (int irrep = 0; irrep < irreps; ++irrep) {
    int count[3] = {0, 0, 0};  // by occupation
    std::vector<Eigen::Index> columns;
    for (std::size_t k = 0; k < earlier.irreps.size(); ++k) {
      if (earlier.irreps[k] != irrep) continue;
      ++count[earlier.occupations[k]];
      if (earlier.occupations[k] > 0) columns.push_back(static_cast<Eigen::Index>(k));
    }
    const Eigen::MatrixXd occupied = as_eigen(earlier.coefficients)(Eigen::all, columns);
    auto orbitals = orthonormalised(basis.vectors(irrep).transpose() * (as_eigen(overlap) * occupied));
    if (!orbitals) return std::nullopt;
    carried.orbitals.push_back(std::move(*orbitals));
    carried.occupation.doubly.push_back(count[2]);
    carried.occupation.singly.push_back(count[1]);
  }
  return carried;
}

}  // namespace cisolve::detail
