// SPDX-License-Identifier: MIT
#pragma once

#include <complex>

namespace cisolve {

using Complex = std::complex<double>;

/// A quaternion q = a + b j with complex a and b; real parts of a, its imaginary part, those of b: q = w + x i + y j + z k.
/// As i j = k and j a = a* j, it multiplies as the complex matrix
///
///     [[  a,  b ],
///      [ -b*, a*]]
///
/// does, its *block*: the product of two is that of their blocks, the conjugate of one is the adjoint of its block.
struct Quaternion {
  Complex a;
  Complex b;

  friend bool operator==(const Quaternion&, const Quaternion&) = default;
  friend Quaternion operator+(const Quaternion& p, const Quaternion& q) { return {p.a + q.a, p.b + q.b}; }
  friend Quaternion operator*(const Quaternion& p, const Quaternion& q) {
    return {p.a * q.a - p.b * std::conj(q.b), p.a * q.b + p.b * std::conj(q.a)};
  }
};
static_assert(sizeof(Quaternion) == 32);

/// q* = a* - b j, so that (p q)* = q* p*.
inline Quaternion conjugate(const Quaternion& q) { return {std::conj(q.a), -q.b}; }

/// |q|^2 = q q*
inline double norm(const Quaternion& q) { return std::norm(q.a) + std::norm(q.b); }

/// Element (row, column) of the block of q; both are 0 or 1.
inline Complex block_element(const Quaternion& q, int row, int column) {
  if (row == 0) return column == 0 ? q.a : q.b;
  return column == 0 ? -std::conj(q.b) : std::conj(q.a);
}

}  // namespace cisolve
