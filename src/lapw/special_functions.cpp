// SPDX-License-Identifier: MIT
#include "cisolve/lapw/special_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/crystal.hpp"

namespace cisolve::lapw {
namespace {

/// P_count and its derivative at x in (-1, 1).
std::array<double, 2> legendre_polynomial(int count, double x) {
  double before = 0.0, value = 1.0;
  for (int n = 1; n <= count; ++n) {
    const double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
    before = value;
    value = next;
  }
  return {value, count * (before - x * value) / (1.0 - x * x)};
}

/// Y_lm at phi = 0 on the points z > 0 of a quadrature, for integrals over the sphere of what is even in z and does not
/// depend on phi.
class HalfSphere {
public:
  /// @param half  points; exact to degree 4 half - 1
  HalfSphere(int half, int lmax)
      : half_(static_cast<std::size_t>(half)),
        values_(static_cast<std::size_t>(num_functions(lmax)) * half_) {
    const Quadrature rule = gauss_legendre(2 * half);
    std::vector<Complex> y(static_cast<std::size_t>(num_functions(lmax)));
    for (std::size_t p = 0; p < half_; ++p) {
      const double z = rule.points[half_ + p];
      weights_.push_back(4.0 * std::numbers::pi * rule.weights[half_ + p]);
      spherical_harmonics({std::sqrt((1.0 - z) * (1.0 + z)), 0.0, z}, lmax, y);
      for (std::size_t f = 0; f < y.size(); ++f) values_[f * half_ + p] = y[f].real();
    }
  }

  /// Weights times both functions.
  std::vector<double> weighted_product(int function, int other) const {
    std::vector<double> product(half_);
    for (std::size_t p = 0; p < half_; ++p) product[p] = weights_[p] * row(function)[p] * row(other)[p];
    return product;
  }
  double integral(const std::vector<double>& product, int function) const {
    return std::inner_product(product.begin(), product.end(), row(function), 0.0);
  }

private:
  const double* row(int function) const {
    return values_.data() + static_cast<std::size_t>(function) * half_;
  }

  std::size_t half_;
  std::vector<double> weights_, values_;  // values: points fastest
};

}  // namespace

void spherical_bessel(double x, std::span<double> j) {
  const auto last = static_cast<int>(j.size()) - 1;
  if (last < 0 || !(x >= 0.0))
    throw DimensionError("spherical_bessel: l and the argument must not be negative");
  const auto at = [&](int l) -> double& { return j[static_cast<std::size_t>(l)]; };

  // Up to l = x, where j_l has no zero, by upward recursion; it is stable there.
  const int turn = std::min(last, static_cast<int>(std::min(x, 1e6)));
  at(0) = x > 0.0 ? std::sin(x) / x : 1.0;
  if (turn >= 1) at(1) = (at(0) - std::cos(x)) / x;
  for (int l = 1; l < turn; ++l) at(l + 1) = (2 * l + 1) / x * at(l) - at(l - 1);
  if (turn == last) return;

  // Beyond, by the ratios j_l+1 / j_l, which the continued fraction gives. It begins where it has forgotten its start: the
  // falling Airy function of (l - x) / (x/2)^(1/3) is then below 1e-9, its square below rounding.
  double ratio = 0.0;
  for (int l = last + 12 + static_cast<int>(12.0 * std::cbrt(x)); l >= turn; --l) {
    ratio = x / (2 * l + 3 - x * ratio);
    if (l < last) at(l + 1) = ratio;
  }
  for (int l = turn; l < last; ++l) at(l + 1) *= at(l);
}

double ball_transform(double x) {
  constexpr double small = 1e-4;  // below, what the series leaves out is x^4 / 280 of it
  if (x < small) return (1.0 - x * x / 10.0) / 3.0;
  std::array<double, 2> j;
  spherical_bessel(x, j);
  return j[1] / x;
}

void spherical_harmonics(const Vector3& v, int lmax, std::span<Complex> y) {
  if (lmax < 0 || y.size() < static_cast<std::size_t>(num_functions(lmax))) {
    throw DimensionError("spherical_harmonics: (lmax + 1)^2 values, please");
  }
  const auto at = [&](int l, int m) -> Complex& { return y[static_cast<std::size_t>(function_index(l, m))]; };
  const double norm = std::hypot(v[0], v[1], v[2]);
  const double z = norm > 0.0 ? v[2] / norm : 1.0;
  const Complex equator =
      norm > 0.0 ? Complex(v[0] / norm, v[1] / norm) : Complex(0.0);  // sin(theta) exp(i phi)

  Complex top = 1.0 / std::sqrt(4.0 * std::numbers::pi);  // Y_mm
  for (int m = 0; m <= lmax; ++m) {
    if (m > 0) top *= -std::sqrt((2 * m + 1) / (2.0 * m)) * equator;
    at(m, m) = top;
    double before = 0.0;  // the factor of Y_l-2,m in the recursion to l
    for (int l = m + 1; l <= lmax; ++l) {
      const double factor =
          std::sqrt((4.0 * l * l - 1.0) / (static_cast<double>(l) * l - static_cast<double>(m) * m));
      at(l, m) = factor * z * at(l - 1, m);
      if (l > m + 1) at(l, m) -= factor / before * at(l - 2, m);
      before = factor;
    }
    const double sign = m % 2 == 0 ? 1.0 : -1.0;
    for (int l = std::max(m, 1); m > 0 && l <= lmax; ++l) at(l, -m) = sign * std::conj(at(l, m));
  }
}

Quadrature gauss_legendre(int count) {
  if (count < 1) throw DimensionError("gauss_legendre: one point or more, please");
  Quadrature rule;
  for (int i = count - 1; i >= 0; --i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5));
    constexpr int steps = 6;  // Newton's method from there has converged after four
    for (int step = 0; step < steps; ++step) {
      const auto [value, slope] = legendre_polynomial(count, x);
      x -= value / slope;
    }
    if (2 * i + 1 == count) x = 0.0;
    const double slope = legendre_polynomial(count, x)[1];
    rule.points.push_back(x);
    rule.weights.push_back(2.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

GauntTable::GauntTable(int lmax, int largest) : lmax_(lmax) {
  if (lmax < 0 || largest < 0) throw DimensionError("GauntTable: l must not be negative");
  const HalfSphere sphere((2 * lmax + largest) / 4 + 1, std::max(lmax, largest));
  values_.resize(place(lmax, lmax, lmax, lmax, 2 * lmax) + 1);
  parallel_for(num_functions(lmax), 1, [&](std::int64_t f) {
    const auto l = static_cast<int>(std::sqrt(static_cast<double>(f)));
    const int m = static_cast<int>(f) - function_index(l, 0);
    for (int l2 = 0; l2 <= lmax; ++l2) {
      for (int m2 = -l2; m2 <= l2; ++m2) {
        const std::vector<double> product =
            sphere.weighted_product(function_index(l, m), function_index(l2, m2));
        for (int big_l = std::abs(l - l2); big_l <= std::min(l + l2, largest); big_l += 2) {
          if (std::abs(m - m2) > big_l) continue;
          values_[place(l, m, l2, m2, big_l)] = sphere.integral(product, function_index(big_l, m - m2));
        }
      }
    }
  });
}

double GauntTable::operator()(int l, int m, int big_l, int l2, int m2) const {
  const bool vanishes =
      big_l < std::abs(l - l2) || big_l > l + l2 || (l + big_l + l2) % 2 != 0 || std::abs(m - m2) > big_l;
  return vanishes ? 0.0 : values_[place(l, m, l2, m2, big_l)];
}

std::size_t GauntTable::place(int l, int m, int l2, int m2, int big_l) const {
  const auto pair =
      static_cast<std::size_t>(function_index(l, m)) * static_cast<std::size_t>(num_functions(lmax_)) +
      static_cast<std::size_t>(function_index(l2, m2));
  return pair * static_cast<std::size_t>(lmax_ + 1) + static_cast<std::size_t>(big_l - std::abs(l - l2)) / 2;
}

}  // namespace cisolve::lapw
