// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/lapw/lattice.hpp"

namespace cisolve::lapw {

/// Spherical Bessel functions j_0(x) .. j_lmax(x), to 1e-13 relative also where x << l.
/// @param x  >= 0
/// @param j  lmax + 1 values
void spherical_bessel(double x, std::span<double> j);

/// j_1(x) / x, 1/3 at x = 0: the transform of a ball.
double ball_transform(double x);

/// Complex spherical harmonics Y_lm of a direction, Condon-Shortley phase, Y_l,-m = (-1)^m conj Y_lm.
/// @param v  of any length; the direction of zero is z
/// @param y  (lmax + 1)^2 values, at function_index(l, m)
void spherical_harmonics(const Vector3& v, int lmax, std::span<Complex> y);

/// Points and weights of Gauss-Legendre quadrature on [-1, 1].
struct Quadrature {
  std::vector<double> points, weights;
};
Quadrature gauss_legendre(int count);

/// Integrals int conj Y_lm Y_LM Y_l'm' dOmega with M = m - m', for l, l' <= lmax. Only those that the rules of triangle
/// and parity leave are held: (lmax + 1)^5 numbers, 80 MB at lmax 24.
class GauntTable {
public:
  /// @param lmax      of l and l'
  /// @param largest   of L
  GauntTable(int lmax, int largest);
  /// @param big_l  at most `largest`
  double operator()(int l, int m, int big_l, int l2, int m2) const;

private:
  std::size_t place(int l, int m, int l2, int m2, int big_l) const;

  int lmax_;
  std::vector<double> values_;
};

}  // namespace cisolve::lapw
