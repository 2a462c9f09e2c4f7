// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

/// The elements of double excitations, numbered: they are integrals (pq|rs) with p != q, r != s, or
/// antisymmetrised pairs of them, up to sign. Two tables of numbers stand beside the integrals.
class IntegralNumbers {
public:
  /// Number of an element that is left out.
  static constexpr ValueNumber vanishing = ~negative_number;

  explicit IntegralNumbers(const IntegralTables& tables);

  /// Ascending, hartree.
  std::span<const double> magnitudes() const { return magnitudes_; }

  /// (pq|rs) for all rs of a pair pq, shape [num_pairs], as IntegralTables::row.
  const ValueNumber* row(std::uint32_t pq) const { return &two_[std::size_t{pq} * num_pairs_]; }

  /// Of the double excitation within a spin that leads from one string to the other.
  /// @param value  its element: (p1 h1|p2 h2) - (p1 h2|p2 h1), in any order and with any sign
  template <int Words>
  ValueNumber of_double(const BitString<Words>& from, const BitString<Words>& to, double value) const {
    const ValueNumber number =
        antisymmetrised_[strict_pair_of(from & ~to) * num_strict_ + strict_pair_of(to & ~from)];
    return number | (std::signbit(value) ? negative_number : 0U);
  }

private:
  static std::size_t strict_pair(std::size_t p, std::size_t q) { return p * (p - 1) / 2 + q; }  // p > q
  template <int Words>
  static std::size_t strict_pair_of(const BitString<Words>& two) {
    std::size_t low = 0;
    std::size_t high = 0;
    two.for_each([&](int p) {
      low = high;
      high = static_cast<std::size_t>(p);
    });
    return strict_pair(high, low);
  }
  template <class Visit>
  void for_each_integral(const IntegralTables& tables, Visit&& visit) const;
  template <class Visit>
  void for_each_antisymmetrised(const IntegralTables& tables, Visit&& visit) const;

  std::size_t num_pairs_;
  std::size_t num_strict_;
  std::vector<double> magnitudes_;
  Array<ValueNumber> two_;
  Array<ValueNumber> antisymmetrised_;  ///< [pairs of holes][pairs of particles]
};

/// Numbers of the double excitations among the links; 0 for the others.
template <class Strings>
Array<ValueNumber> numbers_of(const StringLinks& links, const Strings& strings, const IntegralTables& tables,
                              const IntegralNumbers& numbers) {
  Array<ValueNumber> result(links.all().size());
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int32_t i = 0; i < strings.size(); ++i) {
    for (const StringLinks::Link& link : links[i]) {
      const bool is_double = link.code == tables.num_pairs();
      result[links.place_of(link)] =
          is_double ? numbers.of_double(strings[i], strings[link.target], link.value) : 0U;
    }
  }
  return result;
}

}  // namespace cisolve
