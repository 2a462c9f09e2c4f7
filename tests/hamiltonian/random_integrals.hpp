// SPDX-License-Identifier: MIT
#pragma once

#include <random>

#include "cisolve/integrals/integrals.hpp"

namespace cisolve {

/// Random integrals that obey the orbitals' irreps; a share of the allowed ones is exactly zero.
inline Integrals random_integrals(int num_orbitals, int num_irreps, double zeros, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::bernoulli_distribution vanishes(zeros);
  Integrals v(num_orbitals);
  v.core_energy = 1.25;
  for (int p = 0; p < num_orbitals; ++p) v.irreps[p] = (3 * p + p / 4) % num_irreps;
  const auto irrep = [&](int p) { return v.irreps[p]; };
  for (int p = 0; p < num_orbitals; ++p) {
    for (int q = 0; q <= p; ++q) {
      if (irrep(p) == irrep(q) && !vanishes(engine)) v.h(p, q) = normal(engine) + (p == q ? p : 0);
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= r; ++s) {
          if ((irrep(p) ^ irrep(q) ^ irrep(r) ^ irrep(s)) == 0 && !vanishes(engine))
            v.eri(p, q, r, s) = normal(engine);
        }
      }
    }
  }
  return v;
}

}  // namespace cisolve
