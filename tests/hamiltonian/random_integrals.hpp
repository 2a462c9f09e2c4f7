// SPDX-License-Identifier: MIT
#pragma once

#include <random>
#include <utility>
#include <vector>

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

/// Random integrals with orbitals of their own for beta electrons: none of the blocks has anything to do with another.
inline Integrals random_unrestricted_integrals(int num_orbitals, int num_irreps, double zeros,
                                               unsigned seed) {
  Integrals v = random_integrals(num_orbitals, num_irreps, zeros, seed);
  Integrals of_beta = random_integrals(num_orbitals, num_irreps, zeros, seed + 1);
  BetaIntegrals beta = make_beta_integrals(num_orbitals);
  beta.one = std::move(of_beta.one);
  beta.two = std::move(of_beta.two);
  std::mt19937_64 engine(seed + 2);
  std::normal_distribution<double> normal;
  std::bernoulli_distribution vanishes(zeros);
  std::vector<int> pair_irreps;
  for (int p = 0; p < num_orbitals; ++p) {
    for (int q = 0; q <= p; ++q) pair_irreps.push_back(v.irreps[p] ^ v.irreps[q]);
  }
  for (std::size_t pq = 0; pq < pair_irreps.size(); ++pq) {
    for (std::size_t rs = 0; rs < pair_irreps.size(); ++rs) {
      if (pair_irreps[pq] == pair_irreps[rs] && !vanishes(engine))
        beta.mixed[pq * pair_irreps.size() + rs] = normal(engine);
    }
  }
  v.beta = std::move(beta);
  return v;
}

}  // namespace cisolve
