// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/list_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cisolve {
namespace {

constexpr std::uint32_t negative_bit = 0x80000000U;

template <int Words>
std::vector<Determinant<Words>> all_of(const Space<Words>& space) {
  std::vector<Determinant<Words>> determinants(static_cast<std::size_t>(space.size()));
  space.enumerate(0, determinants);
  return determinants;
}

template <int Words>
std::vector<BitString<Words>> distinct(const std::vector<Determinant<Words>>& determinants,
                                       BitString<Words> Determinant<Words>::*spin) {
  std::vector<BitString<Words>> strings;
  strings.reserve(determinants.size());
  for (const Determinant<Words>& d : determinants) strings.push_back(d.*spin);
  std::sort(strings.begin(), strings.end());
  strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
  return strings;
}

/// visit(link, row) for each link whose target stands among the entries; both ascend.
template <class Link, class Entry, class Visit>
void intersect(std::span<const Link> links, std::span<const Entry> entries, Visit&& visit) {
  if (entries.empty()) return;
  const bool search = entries.size() > links.size() * static_cast<std::size_t>(std::bit_width(entries.size()));
  auto at = entries.begin();
  for (const Link& link : links) {
    if (search) {
      at = std::lower_bound(at, entries.end(), link.target,
                            [](const Entry& entry, std::int32_t beta) { return entry.beta < beta; });
    } else {
      while (at != entries.end() && at->beta < link.target) ++at;
    }
    if (at == entries.end()) return;
    if (at->beta == link.target) visit(link, at->row);
  }
}

template <int Words>
double coulomb_sum(const IntegralTables& tables, std::uint32_t pair, const BitString<Words>& other_spin) {
  const double* coulomb = tables.coulomb_row(pair);
  double sum = 0.0;
  other_spin.for_each([&](int r) { sum += coulomb[r]; });
  return sum;
}

}  // namespace

template <int Words>
ListRowSource<Words>::ListRowSource(const Space<Words>& space, const IntegralTables& tables)
    : ListRowSource(all_of(space), tables) {}

template <int Words>
ListRowSource<Words>::ListRowSource(const std::vector<Determinant<Words>>& determinants,
                                    const IntegralTables& tables)
    : tables_(tables), alpha_(distinct(determinants, &Determinant<Words>::alpha)),
      beta_(distinct(determinants, &Determinant<Words>::beta)), alpha_links_(alpha_, tables),
      beta_links_(beta_, tables), alpha_of_row_(determinants.size()), beta_of_row_(determinants.size()),
      entry_offsets_(static_cast<std::size_t>(alpha_.size()) + 1, 0), entries_(determinants.size()) {
  group_beta_singles();
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < determinants.size(); ++row) {
    alpha_of_row_[row] = alpha_.find(determinants[row].alpha);
    beta_of_row_[row] = beta_.find(determinants[row].beta);
  }
  for (const std::int32_t a : alpha_of_row_) ++entry_offsets_[static_cast<std::size_t>(a) + 1];
  for (std::size_t a = 1; a < entry_offsets_.size(); ++a) entry_offsets_[a] += entry_offsets_[a - 1];
  std::vector<std::int64_t> next = entry_offsets_;
  for (std::size_t row = 0; row < determinants.size(); ++row) {
    const auto at = next[static_cast<std::size_t>(alpha_of_row_[row])]++;
    entries_[static_cast<std::size_t>(at)] = {beta_of_row_[row], static_cast<ColumnIndex>(row)};
  }
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int32_t a = 0; a < alpha_.size(); ++a) {
    const auto at = static_cast<std::size_t>(a);
    std::sort(entries_.begin() + entry_offsets_[at], entries_.begin() + entry_offsets_[at + 1],
              [](const Entry& x, const Entry& y) { return x.beta < y.beta; });
  }
}

/// An alpha single excitation pairs only with beta ones through a pair of the same irrep.
template <int Words>
void ListRowSource<Words>::group_beta_singles() {
  const auto n = static_cast<std::size_t>(beta_.size());
  single_offsets_.assign(n * 8 + 1, 0);
  const auto visit_singles = [&](std::int32_t b, auto&& visit) {
    const int irrep = irrep_of(beta_[b], tables_.irreps());
    for (const StringLinks::Link& link : beta_links_[b]) {
      if (link.code == StringLinks::self || link.code == tables_.num_pairs()) continue;
      visit(link, static_cast<std::size_t>(b) * 8 +
                      static_cast<std::size_t>(irrep ^ irrep_of(beta_[link.target], tables_.irreps())));
    }
  };
  for (std::int32_t b = 0; b < beta_.size(); ++b) {
    visit_singles(b, [&](const StringLinks::Link&, std::size_t group) { ++single_offsets_[group + 1]; });
  }
  for (std::size_t k = 1; k < single_offsets_.size(); ++k) single_offsets_[k] += single_offsets_[k - 1];
  beta_singles_.resize(static_cast<std::size_t>(single_offsets_.back()));
  std::vector<std::int64_t> next = single_offsets_;
  for (std::int32_t b = 0; b < beta_.size(); ++b) {
    visit_singles(b, [&](const StringLinks::Link& link, std::size_t group) {
      beta_singles_[static_cast<std::size_t>(next[group]++)] = link;
    });
  }
}

template <int Words>
void ListRowSource<Words>::collect(std::int64_t row, std::vector<Element>& elements) const {
  const std::int32_t a = alpha_of_row_[static_cast<std::size_t>(row)];
  const std::int32_t b = beta_of_row_[static_cast<std::size_t>(row)];
  const std::uint32_t num_pairs = tables_.num_pairs();
  const int alpha_irrep = irrep_of(alpha_[a], tables_.irreps());
  const auto add = [&](ColumnIndex column, double value, std::uint32_t phase, bool is_general) {
    if (std::abs(value) <= tables_.threshold()) return;
    elements.push_back({column, is_general, (phase & negative_bit) != 0 ? -value : value});
  };

  elements.clear();
  for (const StringLinks::Link& alpha_link : alpha_links_[a]) {
    const auto beside = entries(alpha_link.target);
    if (alpha_link.code == StringLinks::self) {
      intersect(beta_links_[b], beside, [&](const StringLinks::Link& link, ColumnIndex column) {
        if (link.code == StringLinks::self) {
          double value = tables_.core_energy() + tables_.string_energy(alpha_[a]) + tables_.string_energy(beta_[b]);
          beta_[b].for_each([&](int r) { value += coulomb_sum(tables_, tables_.pair(r, r), alpha_[a]); });
          add(column, value, 0, true);
        } else if (link.code == num_pairs) {
          add(column, link.value, 0, false);
        } else if (link.value != StringLinks::forbidden) {
          add(column, link.value + coulomb_sum(tables_, link.code & ~negative_bit, alpha_[a]), link.code, true);
        }
      });
      continue;
    }
    const bool is_double = alpha_link.code == num_pairs;
    if (is_double || alpha_link.value != StringLinks::forbidden) {
      const auto found = std::lower_bound(beside.begin(), beside.end(), b,
                                          [](const Entry& entry, std::int32_t beta) { return entry.beta < beta; });
      if (found != beside.end() && found->beta == b) {
        const double other = is_double ? 0.0 : coulomb_sum(tables_, alpha_link.code & ~negative_bit, beta_[b]);
        add(found->row, alpha_link.value + other, is_double ? 0 : alpha_link.code, !is_double);
      }
    }
    if (is_double) continue;
    const int pair_irrep = alpha_irrep ^ irrep_of(alpha_[alpha_link.target], tables_.irreps());
    const double* eri = tables_.row(alpha_link.code & ~negative_bit);
    intersect(beta_singles(b, pair_irrep), beside, [&](const StringLinks::Link& link, ColumnIndex column) {
      add(column, eri[link.code & ~negative_bit], alpha_link.code ^ link.code, false);
    });
  }
}

template <int Words>
void ListRowSource<Words>::count(RowRange range, std::span<std::int64_t> lengths) const {
  std::vector<Element> elements;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    collect(row, elements);
    lengths[static_cast<std::size_t>(row - range.first)] = static_cast<std::int64_t>(elements.size());
  }
}

template <int Words>
void ListRowSource<Words>::fill(RowRange range, RowSink& sink) const {
  std::vector<Element> elements;
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  std::vector<std::int32_t> general;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    collect(row, elements);
    std::sort(elements.begin(), elements.end(), [](const Element& x, const Element& y) { return x.column < y.column; });
    columns.clear();
    values.clear();
    general.clear();
    for (const Element& element : elements) {
      if (element.is_general) general.push_back(static_cast<std::int32_t>(columns.size()));
      columns.push_back(element.column);
      values.push_back(element.value);
    }
    sink.row({row, columns, values, general});
  }
}

template class ListRowSource<1>;
template class ListRowSource<2>;

}  // namespace cisolve
