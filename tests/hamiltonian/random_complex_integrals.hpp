// SPDX-License-Identifier: MIT
#pragma once

#include <random>

#include "cisolve/integrals/complex_integrals.hpp"

namespace cisolve::test {

/// Random Hermitian integrals, (pq|rs) = (rs|pq) = (qp|sr)* to the last bit; a share of them is exactly zero.
inline ComplexIntegrals random_complex_integrals(int num_orbitals, bool are_spinors, double zeros,
                                                 unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::bernoulli_distribution vanishes(zeros);
  ComplexIntegrals v(num_orbitals, are_spinors);
  v.core_energy = 1.25;
  const auto draw = [&] {
    const double real = normal(engine), imaginary = normal(engine);
    return vanishes(engine) ? Complex() : Complex(real, imaginary);
  };
  for (int p = 0; p < num_orbitals; ++p) {
    for (int q = 0; q <= p; ++q) {
      v.h(p, q) = draw();
      v.h(q, p) = std::conj(v.h(p, q));
      for (int r = 0; r < num_orbitals; ++r) {
        for (int s = 0; s < num_orbitals; ++s) {
          const Complex value = draw();
          v.eri(p, q, r, s) = value;
          v.eri(q, p, s, r) = std::conj(value);
        }
      }
    }
    v.h(p, p) = v.h(p, p).real() + p;
  }
  // (pp|rr) and (pq|qp) are their own conjugates.
  for (int p = 0; p < num_orbitals; ++p) {
    for (int q = 0; q < num_orbitals; ++q) {
      for (int r = 0; r < num_orbitals; ++r) {
        for (int s = 0; s < num_orbitals; ++s) {
          if (v.eri(p, q, r, s) != std::conj(v.eri(q, p, s, r))) v.eri(p, q, r, s) = v.eri(p, q, r, s).real();
        }
      }
    }
  }
  return v;
}

}  // namespace cisolve::test
