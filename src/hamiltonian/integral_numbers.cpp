// SPDX-License-Identifier: MIT
#include "hamiltonian/integral_numbers.hpp"

#include <algorithm>

namespace cisolve {

namespace {

/// A value of a symmetric table, and where it stands below the diagonal or on it.
struct PlacedValue {
  double value;
  std::uint32_t row, column;
};

/// Values above a threshold of a table of pairs p > q, in no order: collect(p, q, add) calls add(row, column, value).
template <class Collect>
std::vector<PlacedValue> collect_values(const IntegralTables& tables, const Collect& collect) {
  const int n = tables.num_orbitals();
  std::vector<PlacedValue> all;
#pragma omp parallel
  {
    std::vector<PlacedValue> found;
    const auto add = [&](std::uint32_t row, std::uint32_t column, double value) {
      if (std::abs(value) > tables.threshold()) found.push_back({value, row, column});
    };
#pragma omp for schedule(dynamic, 1)
    for (int p = n - 1; p > 0; --p) {
      for (int q = 0; q < p; ++q) collect(p, q, add);
    }
#pragma omp critical
    all.insert(all.end(), found.begin(), found.end());
  }
  std::ranges::sort(all, {}, [](const PlacedValue& placed) { return std::abs(placed.value); });
  return all;
}

/// visit(r, s) for the pairs r > s up to p > q, in their order.
template <class Visit>
void for_each_pair_up_to(int p, int q, const Visit& visit) {
  for (int r = 1; r <= p; ++r) {
    for (int s = 0; s < (r < p ? r : q + 1); ++s) visit(r, s);
  }
}

}  // namespace

IntegralNumbers::IntegralNumbers(const IntegralTables& tables)
    : num_pairs_(tables.num_pairs()), num_strict_(num_pairs_ - tables.num_orbitals()),
      two_(num_pairs_ * num_pairs_), antisymmetrised_(num_strict_ * num_strict_) {
  std::fill(two_.begin(), two_.end(), vanishing);
  std::fill(antisymmetrised_.begin(), antisymmetrised_.end(), vanishing);
  const auto integrals = collect_values(tables, [&](int p, int q, const auto& add) {
    const std::uint32_t pq = tables.pair(p, q);
    for_each_pair_up_to(p, q,
                        [&](int r, int s) { add(pq, tables.pair(r, s), tables.row(pq)[tables.pair(r, s)]); });
  });
  const auto differences = collect_values(tables, [&](int h2, int h1, const auto& add) {
    for_each_pair_up_to(h2, h1, [&](int p2, int p1) {
      add(ExcitationCode::strict_pair(h2, h1), ExcitationCode::strict_pair(p2, p1),
          std::abs(tables.eri(p2, h2, p1, h1) - tables.eri(p2, h1, p1, h2)));
    });
  });

  const auto set = [&](Array<ValueNumber>& table, std::size_t order, const PlacedValue& placed) {
    const double magnitude = std::abs(placed.value);
    if (magnitudes_.empty() || magnitude != magnitudes_.back()) magnitudes_.push_back(magnitude);
    const ValueNumber number = static_cast<ValueNumber>(magnitudes_.size() - 1) |
                               (std::signbit(placed.value) ? negative_number : 0U);
    table[placed.row * order + placed.column] = table[placed.column * order + placed.row] = number;
  };
  auto integral = integrals.begin();
  for (const PlacedValue& difference : differences) {
    for (; integral != integrals.end() && std::abs(integral->value) <= difference.value; ++integral)
      set(two_, num_pairs_, *integral);
    set(antisymmetrised_, num_strict_, difference);
  }
  for (; integral != integrals.end(); ++integral) set(two_, num_pairs_, *integral);
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
