// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/lapw/lattice.hpp"

namespace cisolve::lapw {

/// Lower triangles of C += sum of alpha X^H X with C n x n, on the host: by ZHERK, or by three real products in place of its
/// four. With X = R + i I and W = (R + I)^T (R - I) = (R^T R - I^T I) - (R^T I - I^T R), a symmetric and an antisymmetric
/// part,
///
///   Re X^H X = (W + W^T) / 2 + 2 I^T I,   Im X^H X = (W^T - W) / 2,
///
/// for which W takes 2 k n^2 flops and I^T I k n^2: 3 in place of 4. Elements err by about twice as much of |X|^2. Room for
/// R + I, R - I and I of the longest X, and for W and I^T I, stays.
class RankUpdates {
public:
  struct Term {
    double alpha;
    std::int64_t k;    ///< rows of X
    const Complex* x;  ///< k x n
    std::int64_t ld;   ///< between its columns
  };

  RankUpdates(std::int64_t n, bool in_three) : n_(n), in_three_(in_three) {}

  void add(std::span<const Term> terms, Complex* c);
  void add(const Term& term, Complex* c) { add({&term, 1}, c); }

  /// Bytes of the room for k rows.
  static std::int64_t bytes(std::int64_t n, std::int64_t k);

private:
  void separate(std::span<const Term> terms);
  void combine(Complex* c) const;

  std::int64_t n_;
  bool in_three_;
  std::int64_t ld_ = 0;
  Array<double> sums_, differences_,
      imaginary_;              ///< R + I, alpha (R - I), I of all terms, one upon the other
  Array<double> w_, squares_;  ///< W, 2 I^T I
};

}  // namespace cisolve::lapw
