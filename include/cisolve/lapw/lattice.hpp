// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <complex>
#include <vector>

namespace cisolve::lapw {

using Complex = std::complex<double>;
using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  ///< rows
using Index3 = std::array<int, 3>;

inline constexpr Matrix3 identity3 = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

double dot(const Vector3& a, const Vector3& b);
double length(const Vector3& a);
Vector3 rotate(const Matrix3& m, const Vector3& v);  ///< m v (not "apply", which the standard library has)
/// sum_i v_i m_i: fractional coordinates v in the vectors that are the rows of m.
Vector3 combine_rows(const Matrix3& m, const Vector3& v);
double determinant(const Matrix3& m);

/// A crystal lattice and its reciprocal one, a_i . b_j = 2 pi delta_ij.
struct Lattice {
  Matrix3 a = identity3;  ///< lattice vectors as rows, bohr

  double volume() const;       ///< |det a|, bohr^3
  Matrix3 reciprocal() const;  ///< b as rows, 1/bohr; a must not be singular
};

/// A point of the Brillouin zone.
struct KPoint {
  Vector3 k = {};  ///< in units of b
  double weight = 1.0;
};

/// k + G, Cartesian, 1/bohr.
/// @param reciprocal  b of the lattice
Vector3 wave_vector(const Matrix3& reciprocal, const Vector3& k, const Index3& g);

/// All G with |k + G| <= k_max (1 + 1e-12), ordered by |k + G| rounded to 1e-9, then by g1, g2, g3.
/// @param k      in units of b
/// @param k_max  1/bohr
std::vector<Index3> plane_waves(const Lattice& lattice, const Vector3& k, double k_max);

/// How many these are, about: volume k_max^3 / (6 pi^2).
double expected_plane_waves(const Lattice& lattice, double k_max);

}  // namespace cisolve::lapw
