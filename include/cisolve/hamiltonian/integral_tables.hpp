// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/string_excitations.hpp"

namespace cisolve {

/// Integrals laid out for building rows: every look-up of an inner loop is one load from a row that
/// stays in cache. Hartree. They are those of what acts on alpha electrons; `beta()` has those of what acts on beta
/// electrons, which where both spins have the same orbitals are the same.
class IntegralTables {
public:
  /// @param integrals  are copied
  /// @param threshold  hartree; elements of at most this magnitude are left out of matrices
  IntegralTables(const Integrals& integrals, double threshold)
      : IntegralTables(integrals, threshold, Spin::alpha) {}

  const IntegralTables& alpha() const { return *this; }
  const IntegralTables& beta() const { return beta_ ? *beta_ : *this; }

  /// Whether the spins have orbitals of their own.
  bool is_unrestricted() const { return beta_ != nullptr; }

  int num_orbitals() const { return num_orbitals_; }
  double threshold() const { return threshold_; }
  double core_energy() const { return core_energy_; }
  const std::vector<int>& irreps() const { return irreps_; }
  int irrep(int p) const { return irreps_[p]; }

  std::uint32_t pair(int p, int q) const { return static_cast<std::uint32_t>(pair_index(p, q)); }
  std::uint32_t num_pairs() const { return num_pairs_; }

  /// The pairs pq whose orbitals have this product of irreps, ascending: (pq|rs) vanishes between different ones.
  std::span<const std::uint32_t> pairs_of(int irrep) const { return pairs_of_[irrep]; }
  /// Place of a pair among those of its irrep.
  std::uint32_t place_in_irrep(std::uint32_t pq) const { return place_in_irrep_[pq]; }

  double h(int p, int q) const { return one_[pair(p, q)]; }

  /// (pq|rs) within this spin.
  double eri(int p, int q, int r, int s) const {
    const std::vector<double>& own = own_.empty() ? two_ : own_;
    return own[std::size_t{pair(p, q)} * num_pairs_ + pair(r, s)];
  }

  /// (pq|rs) for all rs of the other spin of a pair pq of this one, shape [num_pairs].
  const double* row(std::uint32_t pq) const { return &two_[std::size_t{pq} * num_pairs_]; }

  /// h_pq, [num_pairs]; (pq|rs) within this spin, and with rs of the other one, [num_pairs * num_pairs].
  std::span<const double> one() const { return one_; }
  std::span<const double> within() const { return own_.empty() ? two_ : own_; }
  std::span<const double> between() const { return two_; }

  /// (pq|rr) for all orbitals r of the other spin of a pair pq of this one, shape [num_orbitals].
  const double* coulomb_row(std::uint32_t pq) const {
    return &coulomb_[std::size_t{pq} * static_cast<std::size_t>(num_orbitals_)];
  }

  /// True if no (pq|rs) with r != s of the other spin and the irrep of pq is left out: every opposite-spin double
  /// excitation through pq has a nonzero element.
  bool is_dense(std::uint32_t pq) const { return dense_[pq] != 0; }

  /// Diagonal energy of one spin's string by itself: sum h_pp + 1/2 sum [(pp|qq) - (pq|qp)].
  /// @param occupied  its orbitals, ascending, as is the next
  double string_energy(std::span<const std::uint8_t> occupied) const;

  /// The part of a single excitation hole -> particle within its own spin:
  /// h_hp + sum over occupied r of [(hp|rr) - (hr|rp)].
  double single_within_spin(std::span<const std::uint8_t> occupied, int hole, int particle) const;

  /// What a single excitation through pq feels of a string of the other spin: sum over its orbitals r of (pq|rr).
  double coulomb_sum(std::uint32_t pq, std::span<const std::uint8_t> occupied) const {
    const double* coulomb = coulomb_row(pq);
    double sum = 0.0;
    for (const std::uint8_t r : occupied) sum += coulomb[r];
    return sum;
  }

  /// Element of a double excitation within a spin: phase x [(p1 h1|p2 h2) - (p1 h2|p2 h1)].
  /// @param code  an ExcitationCode
  double same_spin_double(std::uint32_t code) const;

  std::int64_t bytes() const {
    const std::size_t values = one_.size() + own_.size() + two_.size() + coulomb_.size();
    return static_cast<std::int64_t>(values * sizeof(double) + dense_.size()) + (beta_ ? beta_->bytes() : 0);
  }

private:
  IntegralTables(const Integrals& integrals, double threshold, Spin spin);

  int num_orbitals_;
  std::uint32_t num_pairs_;
  double threshold_;
  double core_energy_;
  std::vector<int> irreps_;
  std::vector<double> one_;
  std::vector<double> own_;  ///< [pairs * pairs] within this spin; empty: as two_
  std::vector<double> two_;  ///< [pairs * pairs] this spin's pairs by the other's
  std::vector<double> coulomb_;
  std::vector<std::uint8_t> dense_;
  std::array<std::vector<std::uint32_t>, 8> pairs_of_;  ///< by irrep
  std::vector<std::uint32_t> place_in_irrep_;           ///< [pairs]
  std::vector<std::array<std::uint8_t, 2>>
      strict_pairs_;                            ///< the lower and the higher orbital of each pair p > q
  std::unique_ptr<const IntegralTables> beta_;  ///< of unrestricted integrals
};

}  // namespace cisolve
