// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/integral_tables.hpp"

#include <cmath>

namespace cisolve {

IntegralTables::IntegralTables(const Integrals& integrals, double threshold)
    : num_orbitals_(integrals.num_orbitals), num_pairs_(pair(integrals.num_orbitals, 0)),
      threshold_(threshold), core_energy_(integrals.core_energy), irreps_(integrals.irreps),
      one_(integrals.one), two_(std::size_t{num_pairs_} * num_pairs_),
      coulomb_(std::size_t{num_pairs_} * static_cast<std::size_t>(num_orbitals_)), dense_(num_pairs_, 1) {
  for (std::size_t pq = 0; pq < num_pairs_; ++pq) {
    for (std::size_t rs = 0; rs < num_pairs_; ++rs) {
      two_[pq * num_pairs_ + rs] = integrals.two[pair_index(pq, rs)];
    }
    for (int r = 0; r < num_orbitals_; ++r) {
      coulomb_[pq * static_cast<std::size_t>(num_orbitals_) + static_cast<std::size_t>(r)] =
          two_[pq * num_pairs_ + pair(r, r)];
    }
  }
  for (int p = 0; p < num_orbitals_; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r < num_orbitals_; ++r) {
        for (int s = 0; s < r; ++s) {
          const bool allowed = (irrep(p) ^ irrep(q)) == (irrep(r) ^ irrep(s));
          if (allowed && std::abs(eri(p, q, r, s)) <= threshold_) dense_[pair(p, q)] = 0;
        }
      }
    }
  }
}

template <int Words>
double IntegralTables::string_energy(const BitString<Words>& s) const {
  double energy = 0.0;
  s.for_each([&](int p) {
    energy += h(p, p);
    s.for_each([&](int q) {
      if (q < p) energy += eri(p, p, q, q) - eri(p, q, q, p);
    });
  });
  return energy;
}

template <int Words>
double IntegralTables::single_within_spin(const BitString<Words>& s, int hole, int particle) const {
  double value = h(hole, particle);
  // The term of r = hole is exactly zero, so both directions sum the same numbers in the same
  // order and H is symmetric to the last bit.
  s.for_each([&](int r) { value += eri(hole, particle, r, r) - eri(hole, r, r, particle); });
  return value;
}

template double IntegralTables::string_energy(const BitString<1>&) const;
template double IntegralTables::string_energy(const BitString<2>&) const;
template double IntegralTables::single_within_spin(const BitString<1>&, int, int) const;
template double IntegralTables::single_within_spin(const BitString<2>&, int, int) const;

}  // namespace cisolve
