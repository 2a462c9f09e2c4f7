// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/parallel.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/moves.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/string_excitations.hpp"

namespace cisolve {

/// Strings of one spin with what their excitations, to any string, are worked out from.
template <int Words>
class StringMoves {
public:
  /// A single excitation of a string.
  struct Single {
    BitString<Words> target;
    double energy;       ///< of the target by itself, hartree
    std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative)
  };

  /// @param strings  in memory that outlives this object, as do `tables` (of this spin) and `doubles`
  /// @param singles  whether they are tabulated
  StringMoves(std::span<const BitString<Words>> strings, const IntegralTables& tables,
              const SameSpinMoves& doubles, bool singles)
      : strings_(strings), tables_(tables), doubles_(doubles),
        n_(static_cast<std::size_t>(tables.num_orbitals())), energies_(strings.size()),
        fields_(strings.size() * n_), parities_(strings.size()) {
    parallel_for(std::ssize(strings), 64, [&](std::int64_t s) { describe(s); });
    if (singles) tabulate_singles();
  }

  std::int64_t size() const { return std::ssize(strings_); }
  const BitString<Words>& operator[](std::int64_t s) const { return strings_[s]; }

  /// Of a string by itself, hartree.
  double energy(std::int64_t s) const { return energies_[s]; }

  /// Tabulated single excitations of a string through pairs of an irrep.
  std::span<const Single> singles(std::int64_t s, int irrep) const {
    const std::size_t at = static_cast<std::size_t>(s) * 8 + static_cast<std::size_t>(irrep);
    return {singles_.data() + offsets_[at], singles_.data() + offsets_[at + 1]};
  }

  /// All of them, those of a string by irrep.
  std::span<const Single> all_singles() const { return singles_; }

  /// Place of the first of singles(s, irrep) among all.
  std::int64_t singles_begin(std::int64_t s, int irrep) const {
    return offsets_[static_cast<std::size_t>(s) * 8 + static_cast<std::size_t>(irrep)];
  }

  /// Beside singles(s, 0): their elements within the spin, without phases, hartree.
  std::span<const double> own_values(std::int64_t s) const {
    const std::size_t at = s;
    return {own_values_.data() + own_offsets_[at], own_values_.data() + own_offsets_[at + 1]};
  }

  /// visit(target, hole, particle, negative) for all single excitations, of all irreps.
  template <class Visit>
  void for_each_single(std::int64_t s, const Visit& visit) const {
    cisolve::for_each_single(strings_[s], static_cast<int>(n_), visit);
  }

  /// Energy of the string that a single excitation leads to, hartree.
  double energy_of_single(std::int64_t s, int hole, int particle) const {
    const double* field = &fields_[static_cast<std::size_t>(s) * n_];
    return energies_[s] - field[hole] + field[particle] -
           (tables_.eri(hole, hole, particle, particle) - tables_.eri(hole, particle, particle, hole));
  }

  /// visit(target, element, energy of the target) for all double excitations with an element, hartree; always in the
  /// same order.
  template <class Visit>
  void for_each_double(std::int64_t s, const Visit& visit) const {
    const BitString<Words>& from = strings_[s];
    const BitString<Words>& parities = parities_[s];
    const double* field = &fields_[static_cast<std::size_t>(s) * n_];
    const OrbitalList holes = OrbitalList::occupied(from);
    for (int j = 1; j < holes.size; ++j) {
      for (int i = 0; i < j; ++i) {
        const int h1 = holes[i], h2 = holes[j];
        const bool of_holes = parities.test(h1) != parities.test(h2);
        const double energy = energies_[s] - field[h1] - field[h2];
        BitString<Words> rest = from;
        rest.reset(h1);
        rest.reset(h2);
        for (const SameSpinMoves::Move& move : doubles_(h1, h2)) {
          if (from.test(move.p1) || from.test(move.p2)) continue;
          const bool negative = of_holes != (parities.test(move.p1) != parities.test(move.p2));
          BitString<Words> target = rest;
          target.set(move.p1);
          target.set(move.p2);
          visit(target, negative ? -move.value : move.value,
                energy + field[move.p1] + field[move.p2] + move.energy);
        }
      }
    }
  }

  /// Double excitations of a string, on average over all strings.
  double mean_doubles() const {
    if (strings_.empty()) return 0.0;
    const double e = strings_[0].count(), n = static_cast<double>(n_), v = n - e;
    const double of_all_pairs = static_cast<double>(doubles_.size());
    return e < 2 || v < 2 ? 0.0
                          : of_all_pairs * e * (e - 1) * v * (v - 1) / (n * (n - 1) * (n - 2) * (n - 3));
  }

  const IntegralTables& tables() const { return tables_; }

private:
  void describe(std::int64_t s) {
    const OrbitalList occupied = OrbitalList::occupied(strings_[s]);
    energies_[s] = tables_.string_energy({occupied.begin(), occupied.end()});
    parities_[s] = strings_[s].parities();
    double* field = &fields_[static_cast<std::size_t>(s) * n_];
    for (int q = 0; q < static_cast<int>(n_); ++q) {
      field[q] = tables_.h(q, q);
      for (const int r : occupied) field[q] += tables_.eri(q, q, r, r) - tables_.eri(q, r, r, q);
    }
  }

  void tabulate_singles() {
    constexpr std::int64_t chunk = 256;
    const std::int64_t chunks = (size() + chunk - 1) / chunk;
    struct Part {
      std::vector<Single> singles;
      std::vector<double> own;
    };
    std::vector<Part> parts(chunks);
    offsets_.assign(static_cast<std::size_t>(size()) * 8 + 1, 0);
    own_offsets_.assign(static_cast<std::size_t>(size()) + 1, 0);
    parallel_for(chunks, 1, [&](std::int64_t c) {
      std::array<std::vector<Single>, 8> groups;
      for (std::int64_t s = c * chunk; s < std::min((c + 1) * chunk, size()); ++s) {
        const OrbitalList occupied = OrbitalList::occupied(strings_[s]);
        for_each_single(s, [&](const BitString<Words>& target, int h, int p, bool negative) {
          const int irrep = tables_.irrep(h) ^ tables_.irrep(p);
          groups[irrep].push_back(
              {target, energy_of_single(s, h, p), 2 * tables_.pair(h, p) + (negative ? 1U : 0U)});
          if (irrep == 0)
            parts[c].own.push_back(tables_.single_within_spin({occupied.begin(), occupied.end()}, h, p));
        });
        own_offsets_[static_cast<std::size_t>(s) + 1] = std::ssize(groups[0]);
        for (std::size_t g = 0; g < groups.size(); ++g) {
          offsets_[static_cast<std::size_t>(s) * 8 + g + 1] = std::ssize(groups[g]);
          parts[c].singles.insert(parts[c].singles.end(), groups[g].begin(), groups[g].end());
          groups[g].clear();
        }
      }
    });
    for (std::size_t k = 1; k < offsets_.size(); ++k) offsets_[k] += offsets_[k - 1];
    for (std::size_t k = 1; k < own_offsets_.size(); ++k) own_offsets_[k] += own_offsets_[k - 1];
    singles_.reserve(offsets_.back());
    own_values_.reserve(own_offsets_.back());
    for (Part& part : parts) {
      singles_.insert(singles_.end(), part.singles.begin(), part.singles.end());
      own_values_.insert(own_values_.end(), part.own.begin(), part.own.end());
      part = {};
    }
  }

  std::span<const BitString<Words>> strings_;
  const IntegralTables& tables_;
  const SameSpinMoves& doubles_;
  std::size_t n_;  ///< orbitals
  std::vector<double> energies_;
  std::vector<double> fields_;  ///< [strings * n]: h_qq + sum over electrons r of (qq|rr) - (qr|rq)
  std::vector<BitString<Words>> parities_;
  std::vector<std::int64_t> offsets_, own_offsets_;
  std::vector<Single> singles_;
  std::vector<double> own_values_;
};

}  // namespace cisolve
