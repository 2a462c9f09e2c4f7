// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/integral_tables.hpp"

#include <cmath>

namespace cisolve {

IntegralTables::IntegralTables(const Integrals& integrals, double threshold, Spin spin)
    : num_orbitals_(integrals.num_orbitals), num_pairs_(pair(integrals.num_orbitals, 0)),
      threshold_(threshold), core_energy_(integrals.core_energy), irreps_(integrals.irreps),
      one_(spin == Spin::beta ? integrals.beta->one : integrals.one),
      two_(std::size_t{num_pairs_} * num_pairs_),
      coulomb_(std::size_t{num_pairs_} * static_cast<std::size_t>(num_orbitals_)), dense_(num_pairs_, 1) {
  const auto& unrestricted = integrals.beta;
  const std::vector<double>& within = spin == Spin::beta ? unrestricted->two : integrals.two;
  std::vector<double>& unpacked = unrestricted ? own_ : two_;
  unpacked.resize(two_.size());
  for (std::size_t pq = 0; pq < num_pairs_; ++pq) {
    for (std::size_t rs = 0; rs < num_pairs_; ++rs) {
      unpacked[pq * num_pairs_ + rs] = within[pair_index(pq, rs)];
      if (unrestricted)
        two_[pq * num_pairs_ + rs] =
            unrestricted->mixed[spin == Spin::alpha ? pq * num_pairs_ + rs : rs * num_pairs_ + pq];
    }
    for (int r = 0; r < num_orbitals_; ++r) {
      coulomb_[pq * static_cast<std::size_t>(num_orbitals_) + static_cast<std::size_t>(r)] =
          two_[pq * num_pairs_ + pair(r, r)];
    }
  }
  if (unrestricted && spin == Spin::alpha) beta_.reset(new IntegralTables(integrals, threshold, Spin::beta));
  for (int p = 0; p < num_orbitals_; ++p) {
    for (int q = 0; q < p; ++q)
      strict_pairs_.push_back({static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(p)});
    for (int q = 0; q <= p; ++q) {
      auto& of_irrep = pairs_of_[irrep(p) ^ irrep(q)];
      place_in_irrep_.push_back(static_cast<std::uint32_t>(of_irrep.size()));
      of_irrep.push_back(pair(p, q));
      for (int r = 0; r < num_orbitals_; ++r) {
        for (int s = 0; s < r; ++s) {
          const bool allowed = (irrep(p) ^ irrep(q)) == (irrep(r) ^ irrep(s));
          if (allowed && std::abs(row(pair(p, q))[pair(r, s)]) <= threshold_) dense_[pair(p, q)] = 0;
        }
      }
    }
  }
}

double IntegralTables::string_energy(std::span<const std::uint8_t> occupied) const {
  double energy = 0.0;
  for (const std::uint8_t p : occupied) {
    energy += h(p, p);
    for (const std::uint8_t q : occupied) {
      if (q < p) energy += eri(p, p, q, q) - eri(p, q, q, p);
    }
  }
  return energy;
}

double IntegralTables::single_within_spin(std::span<const std::uint8_t> occupied, int hole,
                                          int particle) const {
  double value = h(hole, particle);
  // The term of r = hole is exactly zero, so both directions sum the same numbers in the same
  // order and H is symmetric to the last bit.
  for (const std::uint8_t r : occupied) value += eri(hole, particle, r, r) - eri(hole, r, r, particle);
  return value;
}

double IntegralTables::same_spin_double(std::uint32_t code) const {
  const auto [h1, h2] = strict_pairs_[ExcitationCode::holes(code)];
  const auto [p1, p2] = strict_pairs_[ExcitationCode::particles(code)];
  const double value = eri(p1, h1, p2, h2) - eri(p1, h2, p2, h1);
  return ExcitationCode::is_negative(code) ? -value : value;
}

}  // namespace cisolve
