// SPDX-License-Identifier: MIT
#include "molecule/turned_functions.hpp"

#include <cmath>
#include <numbers>

#include "core/linear_solve.hpp"

namespace cisolve::detail {
namespace {

/// Points all over the unit sphere, along a spiral.
Eigen::Matrix3Xd points_on_sphere() {
  constexpr int count = 128;  // several times the functions of a shell
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
  Eigen::Matrix3Xd points(3, count);
  for (int k = 0; k < count; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / count, r = std::sqrt(1.0 - z * z);
    points.col(k) << r * std::cos(golden * k), r * std::sin(golden * k), z;
  }
  return points;
}

/// The functions of a shell at points on the unit sphere, all times one factor: [points x functions].
Eigen::MatrixXd values(int l, bool spherical, const Eigen::Matrix3Xd& points) {
  const int functions = spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
  Eigen::MatrixXd out(points.cols(), functions);
  for (Eigen::Index k = 0; k < points.cols(); ++k) {
    const double x = points(0, k), y = points(1, k), z = points(2, k);
    if (spherical) {
      const double phi = std::atan2(y, x);
      for (int m = -l; m <= l; ++m) {
        const auto size = static_cast<unsigned>(std::abs(m));
        double ratio = m == 0 ? 1.0 : 2.0;  // (l - |m|)! / (l + |m|)!, twice that
        for (int i = l - static_cast<int>(size) + 1; i <= l + static_cast<int>(size); ++i) ratio /= i;
        const double angle = m < 0 ? std::sin(size * phi) : std::cos(size * phi);
        out(k, m + l) = std::sqrt(ratio) * std::assoc_legendre(static_cast<unsigned>(l), size, z) * angle;
      }
    } else {
      int f = 0;
      for (int i = l; i >= 0; --i) {
        for (int j = l - i; j >= 0; --j)
          out(k, f++) = std::pow(x, i) * std::pow(y, j) * std::pow(z, l - i - j);
      }
    }
  }
  return out;
}

}  // namespace

Eigen::MatrixXd turned_functions(int angular_momentum, bool spherical, const Eigen::Matrix3d& turn) {
  const Eigen::Matrix3Xd old_points = points_on_sphere();
  const Eigen::MatrixXd old_values = values(angular_momentum, spherical, old_points);
  const Eigen::MatrixXd new_values = values(angular_momentum, spherical, turn * old_points);
  return least_squares(new_values, old_values);
}

}  // namespace cisolve::detail
