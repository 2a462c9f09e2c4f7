// SPDX-License-Identifier: MIT
#include "molecule/diis.hpp"

#include <utility>

#include "core/linear_solve.hpp"

namespace cisolve::detail {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd Diis::extrapolate(VectorXd value, VectorXd error) {
  entries_.push_back({std::move(value), std::move(error)});
  if (entries_.size() > most_) entries_.pop_front();
  const auto n = static_cast<Eigen::Index>(entries_.size());
  // Scaled by the last error: near convergence the raw products would drown beside the ones.
  const double scale = entries_.back().error.squaredNorm();
  if (n == 1 || scale == 0.0) return entries_.back().value;
  MatrixXd b = MatrixXd::Constant(n + 1, n + 1, -1.0);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) b(i, j) = entry(i).error.dot(entry(j).error) / scale;
  }
  b(n, n) = 0.0;
  VectorXd right = VectorXd::Zero(n + 1);
  right[n] = -1.0;
  const VectorXd weights = least_squares(b, right);
  if (!weights.allFinite()) return entries_.back().value;
  VectorXd sum = VectorXd::Zero(entries_.back().value.size());
  for (Eigen::Index i = 0; i < n; ++i) sum += weights[i] * entry(i).value;
  return sum;
}

}  // namespace cisolve::detail
