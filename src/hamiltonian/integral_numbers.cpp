// SPDX-License-Identifier: MIT
#include "hamiltonian/integral_numbers.hpp"

#include <algorithm>
#include <iterator>

namespace cisolve {

/// visit(place in two_, value) for p > q, r > s.
template <class Visit>
void IntegralNumbers::for_each_integral(const IntegralTables& tables, Visit&& visit) const {
  const int n = tables.num_orbitals();
#pragma omp parallel for schedule(dynamic, 1)
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < p; ++q) {
      const std::uint32_t pq = tables.pair(p, q);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < r; ++s) {
          const std::uint32_t rs = tables.pair(r, s);
          visit(pq * num_pairs_ + rs, tables.row(pq)[rs]);
        }
      }
    }
  }
}

/// visit(place in antisymmetrised_, value) for h1 > h2, p1 > p2.
template <class Visit>
void IntegralNumbers::for_each_antisymmetrised(const IntegralTables& tables, Visit&& visit) const {
  const int n = tables.num_orbitals();
#pragma omp parallel for schedule(dynamic, 1)
  for (int h1 = 0; h1 < n; ++h1) {
    for (int h2 = 0; h2 < h1; ++h2) {
      const std::size_t holes = ExcitationCode::strict_pair(h1, h2);
      for (int p1 = 0; p1 < n; ++p1) {
        for (int p2 = 0; p2 < p1; ++p2) {
          visit(holes * num_strict_ + ExcitationCode::strict_pair(p1, p2),
                tables.eri(p1, h1, p2, h2) - tables.eri(p1, h2, p2, h1));
        }
      }
    }
  }
}

IntegralNumbers::IntegralNumbers(const IntegralTables& tables)
    : num_pairs_(tables.num_pairs()), num_strict_(num_pairs_ - tables.num_orbitals()),
      two_(num_pairs_ * num_pairs_), antisymmetrised_(num_strict_ * num_strict_) {
  std::fill(two_.begin(), two_.end(), vanishing);
  std::vector<double> integrals(two_.size(), 0.0);
  std::vector<double> differences(antisymmetrised_.size());
  for_each_integral(tables, [&](std::size_t at, double value) { integrals[at] = std::abs(value); });
  for_each_antisymmetrised(tables, [&](std::size_t at, double value) { differences[at] = std::abs(value); });
  for (const auto& values : {integrals, differences}) {
    std::copy_if(values.begin(), values.end(), std::back_inserter(magnitudes_),
                 [&](double magnitude) { return magnitude > tables.threshold(); });
  }
  std::sort(magnitudes_.begin(), magnitudes_.end());
  magnitudes_.erase(std::unique(magnitudes_.begin(), magnitudes_.end()), magnitudes_.end());

  const auto number = [&](double value) {
    const double magnitude = std::abs(value);
    if (!(magnitude > tables.threshold())) return vanishing;
    const auto found = std::lower_bound(magnitudes_.begin(), magnitudes_.end(), magnitude);
    return static_cast<ValueNumber>(found - magnitudes_.begin()) |
           (std::signbit(value) ? negative_number : 0U);
  };
  for_each_integral(tables, [&](std::size_t at, double value) { two_[at] = number(value); });
  for_each_antisymmetrised(
      tables, [&](std::size_t at, double value) { antisymmetrised_[at] = number(std::abs(value)); });
}

Array<ValueNumber> numbers_of(const OwnLinks& links, const IntegralNumbers& numbers) {
  const std::span<const OwnLink> all = links.all();
  Array<ValueNumber> result(all.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < all.size(); ++k)
    result[k] = all[k].is_double() ? numbers.of_double(all[k].code, all[k].value) : 0U;
  return result;
}

}  // namespace cisolve
