// SPDX-License-Identifier: MIT
#include "cisolve/lapw/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace cisolve::lapw {

namespace {

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double length(const Vector3& a) { return std::hypot(a[0], a[1], a[2]); }

Vector3 rotate(const Matrix3& m, const Vector3& v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }

Vector3 combine_rows(const Matrix3& m, const Vector3& v) {
  Vector3 sum = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += v[i] * m[i][axis];
  }
  return sum;
}

double determinant(const Matrix3& m) { return dot(m[0], cross(m[1], m[2])); }

double Lattice::volume() const { return std::abs(determinant(a)); }

Matrix3 Lattice::reciprocal() const {
  const double factor = 2.0 * std::numbers::pi / determinant(a);
  Matrix3 b = {cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])};
  for (Vector3& row : b) {
    for (double& x : row) x *= factor;
  }
  return b;
}

Vector3 wave_vector(const Matrix3& reciprocal, const Vector3& k, const Index3& g) {
  return combine_rows(reciprocal, {k[0] + g[0], k[1] + g[1], k[2] + g[2]});
}

std::vector<Index3> plane_waves(const Lattice& lattice, const Vector3& k, double k_max) {
  const Matrix3 b = lattice.reciprocal();
  const double largest = k_max * (1.0 + 1e-12);
  // (k + G)_i = kappa.a_i / 2 pi; a little wider, since what counts is the length below.
  const auto range = [&](std::size_t i) {
    const double half = largest * length(lattice.a[i]) / (2.0 * std::numbers::pi) + 1e-6;
    return std::pair(static_cast<int>(std::ceil(-half - k[i])), static_cast<int>(std::floor(half - k[i])));
  };
  const double square3 = dot(b[2], b[2]);
  std::vector<std::pair<double, Index3>> found;
  const auto [first1, last1] = range(0);
  const auto [first2, last2] = range(1);
  for (int g1 = first1; g1 <= last1; ++g1) {
    for (int g2 = first2; g2 <= last2; ++g2) {
      // |v + t b_3| <= largest between two t.
      const Vector3 v = wave_vector(b, k, {g1, g2, 0});
      const double middle = -dot(v, b[2]) / square3;
      const double half_square = middle * middle - (dot(v, v) - largest * largest) / square3;
      const double half = std::sqrt(std::max(half_square, 0.0)) + 1e-6;
      const int last3 = static_cast<int>(std::floor(middle + half));
      for (int g3 = static_cast<int>(std::ceil(middle - half)); g3 <= last3; ++g3) {
        const double size = length(wave_vector(b, k, {g1, g2, g3}));
        if (size <= largest) found.emplace_back(std::rint(size * 1e9), Index3{g1, g2, g3});
      }
    }
  }
  std::ranges::sort(found);
  std::vector<Index3> waves;
  waves.reserve(found.size());
  for (const auto& [size, g] : found) waves.push_back(g);
  return waves;
}

double expected_plane_waves(const Lattice& lattice, double k_max) {
  constexpr double pi = std::numbers::pi;
  return lattice.volume() * k_max * k_max * k_max / (6.0 * pi * pi);
}

}  // namespace cisolve::lapw
