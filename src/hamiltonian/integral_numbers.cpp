// SPDX-License-Identifier: MIT
#include "hamiltonian/integral_numbers.hpp"

#include <algorithm>

namespace cisolve {

namespace {

/// A value and where it stands in one of the tables.
struct PlacedValue {
  double magnitude;
  std::uint16_t row, column;  ///< there are 32,896 pairs of 256 orbitals
  bool is_negative;
  std::uint8_t table;
};

/// visit(r, s) for the pairs r > s, in their order, up to p > q.
template <class Visit>
void for_each_pair_up_to(int p, int q, const Visit& visit) {
  for (int r = 1; r <= p; ++r) {
    for (int s = 0; s < (r < p ? r : q + 1); ++s) visit(r, s);
  }
}

/// The tables: opposite-spin integrals, antisymmetrised ones of alpha and of beta electrons.
constexpr std::uint8_t mixed_table = 0, alpha_table = 1, beta_table = 2;

/// Values above the threshold of all tables, ascending; of symmetric ones those on the diagonal or below.
std::vector<PlacedValue> collect_values(const IntegralTables& tables) {
  const int n = tables.num_orbitals();
  const bool unrestricted = tables.is_unrestricted();
  std::vector<PlacedValue> all;
#pragma omp parallel
  {
    std::vector<PlacedValue> found;
    const auto add = [&](std::uint8_t table, std::uint32_t row, std::uint32_t column, double value) {
      if (std::abs(value) > tables.threshold())
        found.push_back({std::abs(value), static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column),
                         std::signbit(value), table});
    };
    const auto add_differences = [&](std::uint8_t table, const IntegralTables& of_spin, int h2, int h1) {
      for_each_pair_up_to(h2, h1, [&](int p2, int p1) {
        add(table, ExcitationCode::strict_pair(h2, h1), ExcitationCode::strict_pair(p2, p1),
            std::abs(of_spin.eri(p2, h2, p1, h1) - of_spin.eri(p2, h1, p1, h2)));
      });
    };
#pragma omp for schedule(dynamic, 1)
    for (int p = n - 1; p > 0; --p) {
      for (int q = 0; q < p; ++q) {
        const std::uint32_t pq = tables.pair(p, q);
        const double* row = tables.row(pq);
        // (pq|rs) of one set of orbitals has both pairs' order for it.
        for_each_pair_up_to(unrestricted ? n - 1 : p, unrestricted ? n - 2 : q, [&](int r, int s) {
          add(mixed_table, pq, tables.pair(r, s), row[tables.pair(r, s)]);
        });
        add_differences(alpha_table, tables, p, q);
        if (unrestricted) add_differences(beta_table, tables.beta(), p, q);
      }
    }
#pragma omp critical
    all.insert(all.end(), found.begin(), found.end());
  }
  std::ranges::sort(all, {}, &PlacedValue::magnitude);
  return all;
}

}  // namespace

IntegralNumbers::IntegralNumbers(const IntegralTables& tables)
    : num_pairs_(tables.num_pairs()), num_strict_(num_pairs_ - tables.num_orbitals()),
      two_(num_pairs_ * num_pairs_) {
  std::fill(two_.begin(), two_.end(), vanishing);
  for (int spin = 0; spin < (tables.is_unrestricted() ? 2 : 1); ++spin) {
    antisymmetrised_[spin] = Array<ValueNumber>(num_strict_ * num_strict_);
    std::fill(antisymmetrised_[spin].begin(), antisymmetrised_[spin].end(), vanishing);
  }
  for (const PlacedValue& placed : collect_values(tables)) {
    if (magnitudes_.empty() || placed.magnitude != magnitudes_.back())
      magnitudes_.push_back(placed.magnitude);
    const ValueNumber number =
        static_cast<ValueNumber>(magnitudes_.size() - 1) | (placed.is_negative ? negative_number : 0U);
    if (placed.table == mixed_table) {
      two_[placed.row * num_pairs_ + placed.column] = number;
      if (!tables.is_unrestricted()) two_[placed.column * num_pairs_ + placed.row] = number;
    } else {
      Array<ValueNumber>& table = antisymmetrised_[placed.table - alpha_table];
      table[placed.row * num_strict_ + placed.column] = table[placed.column * num_strict_ + placed.row] =
          number;
    }
  }
}

Array<ValueNumber> IntegralNumbers::of_links(Spin spin, const OwnLinks& links) const {
  const std::span<const OwnLink> all = links.all();
  Array<ValueNumber> result(all.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < all.size(); ++k)
    result[k] = all[k].is_double() ? of_double(spin, all[k].code, all[k].value) : 0U;
  return result;
}

}  // namespace cisolve
