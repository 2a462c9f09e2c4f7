// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Integrals laid out for building rows: every look-up of an inner loop is one load from a row that
/// stays in cache. Hartree.
class IntegralTables {
public:
  /// @param integrals  are copied
  /// @param threshold  hartree; elements of at most this magnitude are left out of matrices
  IntegralTables(const Integrals& integrals, double threshold);

  int num_orbitals() const { return num_orbitals_; }
  double threshold() const { return threshold_; }
  double core_energy() const { return core_energy_; }
  const std::vector<int>& irreps() const { return irreps_; }
  int irrep(int p) const { return irreps_[static_cast<std::size_t>(p)]; }

  std::uint32_t pair(int p, int q) const {
    return static_cast<std::uint32_t>(pair_index(static_cast<std::size_t>(p), static_cast<std::size_t>(q)));
  }
  std::uint32_t num_pairs() const { return num_pairs_; }

  double h(int p, int q) const { return one_[pair(p, q)]; }

  /// (pq|rs) for all rs of a pair pq, shape [num_pairs].
  const double* row(std::uint32_t pq) const { return &two_[std::size_t{pq} * num_pairs_]; }
  double eri(int p, int q, int r, int s) const { return row(pair(p, q))[pair(r, s)]; }

  /// (pq|rr) for all orbitals r of a pair pq, shape [num_orbitals].
  const double* coulomb_row(std::uint32_t pq) const {
    return &coulomb_[std::size_t{pq} * static_cast<std::size_t>(num_orbitals_)];
  }

  /// True if no (pq|rs) with r != s and the irrep of pq is left out: every opposite-spin double
  /// excitation through pq has a nonzero element.
  bool is_dense(std::uint32_t pq) const { return dense_[pq] != 0; }

  /// Diagonal energy of one spin's string by itself: sum h_pp + 1/2 sum [(pp|qq) - (pq|qp)].
  template <int Words>
  double string_energy(const BitString<Words>& s) const;

  /// The part of a single excitation hole -> particle within its own spin:
  /// h_hp + sum over occupied r of [(hp|rr) - (hr|rp)].
  template <int Words>
  double single_within_spin(const BitString<Words>& s, int hole, int particle) const;

  std::int64_t bytes() const {
    return static_cast<std::int64_t>((one_.size() + two_.size() + coulomb_.size()) * sizeof(double) + dense_.size());
  }

private:
  int num_orbitals_;
  std::uint32_t num_pairs_;
  double threshold_;
  double core_energy_;
  std::vector<int> irreps_;
  std::vector<double> one_;
  std::vector<double> two_;
  std::vector<double> coulomb_;
  std::vector<std::uint8_t> dense_;
};

}  // namespace cisolve
