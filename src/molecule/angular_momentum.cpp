// SPDX-License-Identifier: MIT
#include "cisolve/molecule/angular_momentum.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <complex>

#include "cisolve/core/thread_scope.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"

namespace cisolve {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Vector = Eigen::Vector3d;

Vector as_vector(const Position& p) { return {p[0], p[1], p[2]}; }

using Powers = std::array<int, 3>;

/// Place of x^a y^b z^c in a Cartesian shell: xx, xy, xz, yy, yz, zz.
Index place_of(const Powers& powers) {
  const int rest = powers[1] + powers[2];
  return rest * (rest + 1) / 2 + powers[2];
}

/// x_i d_j - x_j d_i of monomials, (i, j) = (y, z), (z, x), (x, y); the Gaussian in r^2 commutes with it.
MatrixXd cartesian_rotation(int l, std::size_t axis) {
  const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
  const Index size = (l + 1) * (l + 2) / 2;
  MatrixXd rotation = MatrixXd::Zero(size, size);
  for (int x = l; x >= 0; --x) {
    for (int y = l - x; y >= 0; --y) {
      const Powers powers = {x, y, l - x - y};
      const auto add = [&](std::size_t from, std::size_t to, double sign) {
        if (powers[from] == 0) return;
        Powers moved = powers;
        --moved[from];
        ++moved[to];
        rotation(place_of(moved), place_of(powers)) += sign * powers[from];
      };
      add(j, i, 1.0);
      add(i, j, -1.0);
    }
  }
  return rotation;
}

/// Real solid harmonics, m = -l .. l, as combinations of the complex ones with Condon and Shortley's phases.
MatrixXcd real_harmonics(int l) {
  MatrixXcd real = MatrixXcd::Zero(2 * l + 1, 2 * l + 1);
  const std::complex<double> i(0.0, 1.0);
  real(l, l) = 1.0;
  for (int m = 1; m <= l; ++m) {
    const double sign = (m % 2 == 0 ? 1.0 : -1.0) * std::sqrt(0.5);
    real(l + m, l + m) = sign;  // cos m phi
    real(l - m, l + m) = std::sqrt(0.5);
    real(l + m, l - m) = -i * sign;  // sin m phi
    real(l - m, l - m) = i * std::sqrt(0.5);
  }
  return real;
}

MatrixXd spherical_rotation(int l, std::size_t axis) {
  const Index size = 2 * l + 1;
  const std::complex<double> i(0.0, 1.0);
  MatrixXcd raise = MatrixXcd::Zero(size, size), momentum = MatrixXcd::Zero(size, size);
  for (int m = -l; m <= l; ++m) {
    if (m < l) raise(l + m + 1, l + m) = std::sqrt(l * (l + 1.0) - m * (m + 1.0));
    if (axis == 2) momentum(l + m, l + m) = m;
  }
  if (axis == 0) momentum = 0.5 * (raise + raise.adjoint());
  if (axis == 1) momentum = -0.5 * i * (raise - raise.adjoint());
  const MatrixXcd real = real_harmonics(l);
  return (i * (real.adjoint() * momentum * real)).real();
}

MatrixXd rotation_of(const GaussianShell& shell, const Vector& direction) {
  MatrixXd rotation = MatrixXd::Zero(shell.num_functions(), shell.num_functions());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    rotation += direction[static_cast<Index>(axis)] *
                (shell.spherical ? spherical_rotation(shell.angular_momentum, axis)
                                 : cartesian_rotation(shell.angular_momentum, axis));
  }
  return rotation;
}

/// About one axis; `metric` is S C.
Matrix rotation_about(const Vector& direction, const GaussianBasis& basis, const MatrixXd& metric,
                      const Eigen::Ref<const MatrixXd>& coefficients) {
  MatrixXd rotated = MatrixXd::Zero(coefficients.rows(), coefficients.cols());
  for (const GaussianShell& shell : basis.shells) {
    const Index first = shell.first_function, size = shell.num_functions();
    rotated.middleRows(first, size) = rotation_of(shell, direction) * coefficients.middleRows(first, size);
  }
  return detail::to_matrix(metric.transpose() * rotated);
}

}  // namespace

std::optional<Position> linear_axis(const Geometry& geometry, const LinearityConfig& config) {
  Vector longest = Vector::Zero();
  const Vector first = as_vector(geometry.atoms.front().position);
  for (const Atom& atom : geometry.atoms) {
    const Vector from_first = as_vector(atom.position) - first;
    if (from_first.norm() > longest.norm()) longest = from_first;
  }
  if (longest.norm() <= config.tolerance) return std::nullopt;
  const Vector axis = longest.normalized();
  for (const Atom& atom : geometry.atoms) {
    if ((as_vector(atom.position) - first).cross(axis).norm() > config.tolerance) return std::nullopt;
  }
  const Vector field = as_vector(geometry.surroundings.field);
  if (field.cross(axis).norm() > config.tolerance * field.norm()) return std::nullopt;
  for (const PointCharge& charge : geometry.surroundings.charges) {
    if ((as_vector(charge.position) - first).cross(axis).norm() > config.tolerance) return std::nullopt;
  }
  return Position{axis[0], axis[1], axis[2]};
}

Matrix shell_rotation(const GaussianShell& shell, const Position& direction) {
  return detail::to_matrix(rotation_of(shell, as_vector(direction)));
}

std::vector<Matrix> rotation_matrices(const OrbitalsAt& orbitals) {
  std::vector<Vector> directions;
  if (is_free_atom(orbitals.geometry)) {
    directions = {Vector::UnitX(), Vector::UnitY(), Vector::UnitZ()};
  } else if (const auto axis = linear_axis(orbitals.geometry)) {
    directions = {as_vector(*axis)};
  }
  if (directions.empty()) return {};
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const auto c = detail::as_eigen(orbitals.coefficients);
  const Matrix overlap = detail::one_electron_matrices(orbitals.basis, orbitals.geometry).overlap;
  const MatrixXd metric = detail::as_eigen(overlap) * c;
  std::vector<Matrix> rotations;
  for (const Vector& direction : directions)
    rotations.push_back(rotation_about(direction, orbitals.basis, metric, c));
  return rotations;
}

}  // namespace cisolve
