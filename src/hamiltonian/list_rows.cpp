// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/list_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "cisolve/space/local_order.hpp"
#include "cisolve/sparse/column_sort.hpp"
#include "hamiltonian/integral_numbers.hpp"

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
  const bool search =
      entries.size() > links.size() * static_cast<std::size_t>(std::bit_width(entries.size()));
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
    : ListRowSource(space, all_of(space), tables) {}

template <int Words>
ListRowSource<Words>::ListRowSource(const Space<Words>& space,
                                    const std::vector<Determinant<Words>>& determinants,
                                    const IntegralTables& tables)
    : space_(space), tables_(tables), alpha_(distinct(determinants, &Determinant<Words>::alpha)),
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

/// Hands the elements of a row to `take`, in no particular order of columns.
template <int Words>
template <class Take>
void ListRowSource<Words>::collect(std::int64_t row, Take& take) const {
  const std::int32_t a = alpha_of_row_[static_cast<std::size_t>(row)];
  const std::int32_t b = beta_of_row_[static_cast<std::size_t>(row)];
  const std::uint32_t num_pairs = tables_.num_pairs();
  const int alpha_irrep = irrep_of(alpha_[a], tables_.irreps());
  const auto add_general = [&](ColumnIndex column, double value, std::uint32_t phase) {
    if (std::abs(value) <= tables_.threshold()) return;
    take.general(column, (phase & negative_bit) != 0 ? -value : value);
  };

  for (const StringLinks::Link& alpha_link : alpha_links_[a]) {
    const auto beside = entries(alpha_link.target);
    if (alpha_link.code == StringLinks::self) {
      intersect(beta_links_[b], beside, [&](const StringLinks::Link& link, ColumnIndex column) {
        if (link.code == StringLinks::self) {
          double value =
              tables_.core_energy() + tables_.string_energy(alpha_[a]) + tables_.string_energy(beta_[b]);
          beta_[b].for_each([&](int r) { value += coulomb_sum(tables_, tables_.pair(r, r), alpha_[a]); });
          add_general(column, value, 0);
        } else if (link.code == num_pairs) {
          take.beta_double(column, link);
        } else if (link.value != StringLinks::forbidden) {
          add_general(column, link.value + coulomb_sum(tables_, link.code & ~negative_bit, alpha_[a]),
                      link.code);
        }
      });
      continue;
    }
    const bool is_double = alpha_link.code == num_pairs;
    if (is_double || alpha_link.value != StringLinks::forbidden) {
      const auto found =
          std::lower_bound(beside.begin(), beside.end(), b,
                           [](const Entry& entry, std::int32_t beta) { return entry.beta < beta; });
      if (found != beside.end() && found->beta == b) {
        if (is_double) {
          take.alpha_double(found->row, alpha_link);
        } else {
          const double other = coulomb_sum(tables_, alpha_link.code & ~negative_bit, beta_[b]);
          add_general(found->row, alpha_link.value + other, alpha_link.code);
        }
      }
    }
    if (is_double) continue;
    const int pair_irrep = alpha_irrep ^ irrep_of(alpha_[alpha_link.target], tables_.irreps());
    const auto integrals = take.row_of(alpha_link.code & ~negative_bit);
    intersect(beta_singles(b, pair_irrep), beside, [&](const StringLinks::Link& link, ColumnIndex column) {
      take.opposite(column, integrals[link.code & ~negative_bit], alpha_link.code ^ link.code);
    });
  }
}

namespace {

/// Elements of a row with their values.
struct TakenValues {
  struct Element {
    ColumnIndex column;
    bool is_general;
    double value;
  };
  const IntegralTables& tables;
  std::vector<Element> elements = {};

  void general(ColumnIndex column, double value) { elements.push_back({column, true, value}); }
  void beta_double(ColumnIndex column, const StringLinks::Link& link) {
    elements.push_back({column, false, link.value});
  }
  void alpha_double(ColumnIndex column, const StringLinks::Link& link) {
    elements.push_back({column, false, link.value});
  }
  const double* row_of(std::uint32_t pair) const { return tables.row(pair); }
  void opposite(ColumnIndex column, double value, std::uint32_t phase) {
    if (std::abs(value) <= tables.threshold()) return;
    elements.push_back({column, false, (phase & negative_bit) != 0 ? -value : value});
  }
};

/// Elements of a row with their numbers: column << 32 | number, which sorts by column.
struct TakenNumbers {
  const IntegralNumbers& numbers;
  const StringLinks& alpha_links;
  const StringLinks& beta_links;
  const Array<ValueNumber>& alpha_numbers;
  const Array<ValueNumber>& beta_numbers;
  std::vector<std::uint64_t> elements = {};
  std::vector<std::pair<ColumnIndex, double>> generals = {};

  void add(ColumnIndex column, ValueNumber number) {
    elements.push_back((std::uint64_t{static_cast<std::uint32_t>(column)} << 32) | number);
  }
  void general(ColumnIndex column, double value) { generals.emplace_back(column, value); }
  void beta_double(ColumnIndex column, const StringLinks::Link& link) {
    add(column, beta_numbers[beta_links.place_of(link)]);
  }
  void alpha_double(ColumnIndex column, const StringLinks::Link& link) {
    add(column, alpha_numbers[alpha_links.place_of(link)]);
  }
  const ValueNumber* row_of(std::uint32_t pair) const { return numbers.row(pair); }
  void opposite(ColumnIndex column, ValueNumber number, std::uint32_t phase) {
    if (number != IntegralNumbers::vanishing) add(column, number ^ (phase & negative_bit));
  }
};

}  // namespace

template <int Words>
void ListRowSource<Words>::count(RowRange range, std::span<std::int64_t> lengths) const {
  TakenValues taken{tables_};
  for (std::int64_t row = range.first; row < range.last; ++row) {
    taken.elements.clear();
    collect(row, taken);
    lengths[static_cast<std::size_t>(row - range.first)] = std::ssize(taken.elements);
  }
}

template <int Words>
void ListRowSource<Words>::fill(RowRange range, RowSink& sink) const {
  TakenValues taken{tables_};
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  std::vector<std::int32_t> general;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    taken.elements.clear();
    collect(row, taken);
    std::sort(taken.elements.begin(), taken.elements.end(),
              [](const auto& x, const auto& y) { return x.column < y.column; });
    columns.clear();
    values.clear();
    general.clear();
    for (const TakenValues::Element& element : taken.elements) {
      if (element.is_general) general.push_back(static_cast<std::int32_t>(columns.size()));
      columns.push_back(element.column);
      values.push_back(element.value);
    }
    sink.row({row, columns, values, general});
  }
}

template <int Words>
class ListRowSource<Words>::Numbered final : public NumberedRowSource {
public:
  explicit Numbered(const ListRowSource& source)
      : source_(source), numbers_(source.tables_),
        alpha_numbers_(numbers_of(source.alpha_links_, source.alpha_, source.tables_, numbers_)),
        beta_numbers_(numbers_of(source.beta_links_, source.beta_, source.tables_, numbers_)) {}

  std::int64_t num_rows() const override { return source_.num_rows(); }
  std::span<const double> magnitudes() const override { return numbers_.magnitudes(); }

  void fill(RowRange range, NumberedRowSink& sink) const override {
    std::vector<std::int32_t> rows(static_cast<std::size_t>(range.size()));
    std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(range.first));
    fill_rows(rows, sink);
  }

  void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const override {
    TakenNumbers taken{numbers_, source_.alpha_links_, source_.beta_links_, alpha_numbers_, beta_numbers_};
    std::vector<ColumnIndex> columns;
    std::vector<ValueNumber> numbers;
    std::vector<ColumnIndex> general_columns;
    std::vector<double> general_values;
    ColumnSort sort(num_rows());
    for (const std::int32_t row : rows) {
      taken.elements.clear();
      taken.generals.clear();
      source_.collect(row, taken);
      sort.sort(taken.elements);
      std::sort(taken.generals.begin(), taken.generals.end(),
                [](const auto& x, const auto& y) { return x.first < y.first; });
      columns.resize(taken.elements.size());
      numbers.resize(taken.elements.size());
      for (std::size_t k = 0; k < taken.elements.size(); ++k) {
        columns[k] = static_cast<ColumnIndex>(taken.elements[k] >> 32);
        numbers[k] = static_cast<ValueNumber>(taken.elements[k] & 0xffffffffU);
      }
      general_columns.clear();
      general_values.clear();
      for (const auto& [column, value] : taken.generals) {
        general_columns.push_back(column);
        general_values.push_back(value);
      }
      sink.row({.index = row,
                .columns = columns,
                .numbers = numbers,
                .general_columns = general_columns,
                .general_values = general_values});
    }
  }

private:
  const ListRowSource& source_;
  IntegralNumbers numbers_;
  Array<ValueNumber> alpha_numbers_;  ///< beside the links
  Array<ValueNumber> beta_numbers_;
};

template <int Words>
std::unique_ptr<const NumberedRowSource> ListRowSource<Words>::numbered() const {
  return std::make_unique<Numbered>(*this);
}

template <int Words>
Array<std::int32_t> ListRowSource<Words>::local_order() const {
  return cisolve::local_order(space_, tables_.irreps());
}

template class ListRowSource<1>;
template class ListRowSource<2>;

}  // namespace cisolve
