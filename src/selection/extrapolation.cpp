// SPDX-License-Identifier: MIT
#include "cisolve/selection/extrapolation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_solve.hpp"

namespace cisolve {
namespace {

struct Fit {
  double at_zero = 0.0;
  double spread = 0.0;  ///< standard error of that from the residuals; 0: as many coefficients as points
};

/// Least squares with weights 1/x^2.
Fit fit_polynomial(std::span<const SelectedPoint> points, int degree) {
  const Eigen::Index n = static_cast<Eigen::Index>(points.size()), m = degree + 1;
  // In units of the largest E2, from the last energy: well conditioned.
  double scale = 0.0;
  for (const SelectedPoint& p : points) scale = std::max(scale, std::abs(p.second_order));
  const double shift = points.back().energy;
  Eigen::MatrixXd a(n, m);
  Eigen::VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const SelectedPoint& p = points[static_cast<std::size_t>(i)];
    const double weight = scale / std::abs(p.second_order);
    for (Eigen::Index k = 0; k < m; ++k)
      a(i, k) = weight * std::pow(p.second_order / scale, static_cast<double>(k));
    b(i) = weight * (p.energy - shift);
  }
  const Eigen::VectorXd c = least_squares(a, b);
  Fit fit{shift + c(0)};
  if (n > m) {
    const double variance = (a * c - b).squaredNorm() / static_cast<double>(n - m);
    const Eigen::MatrixXd inverse = solve_semidefinite(a.transpose() * a, Eigen::MatrixXd::Identity(m, m));
    fit.spread = std::sqrt(std::max(0.0, variance * inverse(0, 0)));
  }
  return fit;
}

}  // namespace

std::optional<Extrapolation> extrapolate(std::span<const SelectedPoint> points) {
  constexpr std::size_t most_points = 4;
  constexpr double share_of_last = 0.05;
  constexpr double step =
      0.8;  // of E2 from one point to the next, at most: closer ones say nothing of the limit
  std::vector<SelectedPoint> used;  // from the last on
  for (auto p = points.rbegin(); p != points.rend() && used.size() < most_points; ++p) {
    if (!(p->second_order < 0.0)) {
      if (used.empty()) return std::nullopt;
      continue;
    }
    if (used.empty() || step * std::abs(p->second_order) >= std::abs(used.back().second_order))
      used.push_back(*p);
  }
  if (used.size() < 2) return std::nullopt;
  std::ranges::reverse(used);
  const Fit line = fit_polynomial(used, 1);
  const Fit best = used.size() == most_points ? fit_polynomial(used, 2) : line;
  const SelectedPoint& last = used.back();
  if (!(best.at_zero <= last.energy)) return std::nullopt;  // variational energies are bounds
  const double beyond = std::abs(best.at_zero - (last.energy + last.second_order));
  return Extrapolation{best.at_zero,
                       std::max({std::abs(best.at_zero - line.at_zero), best.spread, beyond,
                                 last.second_order_error, share_of_last * std::abs(last.second_order)})};
}

}  // namespace cisolve
