// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Dense>
#include <deque>

namespace cisolve::detail {

/// Extrapolates a sequence of Fock matrices so that their errors cancel (Pulay's DIIS).
/// @see P. Pulay, J. Comput. Chem. 3 (1982) 556, doi:10.1002/jcc.540030413
class Diis {
public:
  explicit Diis(int most) : most_(static_cast<std::size_t>(most)) {}

  void clear() { entries_.clear(); }

  Eigen::VectorXd extrapolate(Eigen::VectorXd value, Eigen::VectorXd error) {
    entries_.push_back({std::move(value), std::move(error)});
    if (entries_.size() > most_) entries_.pop_front();
    const auto n = static_cast<Eigen::Index>(entries_.size());
    // Scaled by the last error: near convergence the raw products would drown beside the ones.
    const double scale = entries_.back().error.squaredNorm();
    if (n == 1 || scale == 0.0) return entries_.back().value;
    Eigen::MatrixXd b = Eigen::MatrixXd::Constant(n + 1, n + 1, -1.0);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) b(i, j) = entry(i).error.dot(entry(j).error) / scale;
    }
    b(n, n) = 0.0;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + 1);
    right[n] = -1.0;
    const Eigen::VectorXd weights = b.colPivHouseholderQr().solve(right);
    if (!weights.allFinite()) return entries_.back().value;
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(entries_.back().value.size());
    for (Eigen::Index i = 0; i < n; ++i) sum += weights[i] * entry(i).value;
    return sum;
  }

private:
  struct Entry {
    Eigen::VectorXd value, error;
  };
  const Entry& entry(Eigen::Index i) const { return entries_[static_cast<std::size_t>(i)]; }

  std::size_t most_;
  std::deque<Entry> entries_;
};

}  // namespace cisolve::detail
