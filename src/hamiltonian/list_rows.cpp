// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/list_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "cisolve/space/local_order.hpp"
#include "cisolve/sparse/column_sort.hpp"
#include "core/planted_error.hpp"
#include "hamiltonian/integral_numbers.hpp"

namespace cisolve {
namespace {

template <int Words>
std::vector<Determinant<Words>> all_of(const Space<Words>& space) {
  std::vector<Determinant<Words>> determinants(space.size());
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

/// A table of the strings of one spin, and the number of that of each determinant.
template <int Words>
std::unique_ptr<const Strings> tabulate(const std::vector<Determinant<Words>>& determinants,
                                        BitString<Words> Determinant<Words>::*spin,
                                        std::span<const int> irreps, std::vector<std::int32_t>& numbers) {
  std::vector<BitString<Words>> strings = distinct(determinants, spin);
  std::vector<std::int8_t> levels(strings.size(), 0);
  auto table = std::make_unique<StringTable<Words>>(std::move(strings), std::move(levels), irreps, true);
  numbers.resize(determinants.size());
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < determinants.size(); ++row)
    numbers[row] = table->find(determinants[row].*spin);
  return table;
}

}  // namespace

template <int Words>
ListRowSource::StringPairs ListRowSource::number_strings(const Space<Words>& space,
                                                         std::span<const int> irreps) {
  const std::vector<Determinant<Words>> determinants = all_of(space);
  StringPairs list;
  list.alpha = tabulate(determinants, &Determinant<Words>::alpha, irreps, list.alpha_of_row);
  list.beta = tabulate(determinants, &Determinant<Words>::beta, irreps, list.beta_of_row);
  return list;
}

template <int Words>
ListRowSource::ListRowSource(const Space<Words>& space, const IntegralTables& tables)
    : ListRowSource(number_strings(space, tables.irreps()), tables,
                    [&] { return cisolve::local_order(space, tables.irreps()); }) {}

ListRowSource::ListRowSource(StringPairs list, const IntegralTables& tables,
                             std::function<Array<std::int32_t>()> local_order)
    : list_(std::move(list)), alpha_(*list_.alpha), beta_(*list_.beta), tables_(tables),
      local_order_(std::move(local_order)),
      alpha_links_(alpha_, UsedStrings(alpha_.size(), 1), tables, LinkOrder::by_string, true),
      beta_links_(beta_, UsedStrings(beta_.size(), 1), tables.beta(), LinkOrder::by_string, false),
      beta_singles_(beta_, UsedStrings(beta_.size(), 1), tables, LinkOrder::by_string),
      entry_offsets_(alpha_.size() + 1, 0), entries_(list_.alpha_of_row.size()) {
  for (const std::int32_t a : list_.alpha_of_row) ++entry_offsets_[a + 1];
  for (std::size_t a = 1; a < entry_offsets_.size(); ++a) entry_offsets_[a] += entry_offsets_[a - 1];
  std::vector<std::int64_t> next = entry_offsets_;
  for (std::size_t row = 0; row < entries_.size(); ++row) {
    const auto at = next[list_.alpha_of_row[row]]++;
    entries_[at] = {list_.beta_of_row[row], static_cast<ColumnIndex>(row)};
  }
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int32_t a = 0; a < alpha_.size(); ++a) {
    const std::size_t at = a;
    std::sort(entries_.begin() + entry_offsets_[at], entries_.begin() + entry_offsets_[at + 1],
              [](const Entry& x, const Entry& y) { return x.beta < y.beta; });
  }
}

/// Hands the elements of a row to `take`, in no particular order of columns.
template <class Take>
void ListRowSource::collect(std::int64_t row, Take& take) const {
  const std::int32_t a = list_.alpha_of_row[row];
  const std::int32_t b = list_.beta_of_row[row];
  const auto add_general = [&](ColumnIndex column, double value, std::uint32_t phase) {
    if (std::abs(value) <= tables_.threshold()) return;
    take.general(column, (phase & 1U) != 0 ? -value : value);
  };
  const auto add_single = [&](ColumnIndex column, const OwnLink& link, const IntegralTables& of_spin,
                              std::span<const std::uint8_t> others) {
    add_general(column, link.value + of_spin.coulomb_sum(link.code / 2, others), link.code);
  };

  for (const OwnLink& alpha_link : alpha_links_(a, 0)) {
    const auto beside = entries(alpha_link.target);
    if (alpha_link.code == OwnLink::self) {
      intersect(beta_links_(b, 0), beside, [&](const OwnLink& link, ColumnIndex column) {
        if (link.is_double()) {
          take.beta_double(column, link);
        } else if (link.code == OwnLink::self) {
          double value = tables_.core_energy() + tables_.string_energy(alpha_.orbitals(a)) +
                         tables_.beta().string_energy(beta_.orbitals(b));
          for (const std::uint8_t r : beta_.orbitals(b))
            value += tables_.beta().coulomb_sum(tables_.pair(r, r), alpha_.orbitals(a));
          add_general(column, value, 0);
        } else {
          add_single(column, link, tables_.beta(), alpha_.orbitals(a));
        }
      });
      continue;
    }
    const int pair_irrep = alpha_.irrep(a) ^ alpha_.irrep(alpha_link.target);
    if (pair_irrep == 0) {
      const auto found =
          std::lower_bound(beside.begin(), beside.end(), b,
                           [](const Entry& entry, std::int32_t beta) { return entry.beta < beta; });
      if (found != beside.end() && found->beta == b) {
        if (alpha_link.is_double()) {
          take.alpha_double(found->row, alpha_link);
        } else {
          add_single(found->row, alpha_link, tables_, beta_.orbitals(b));
        }
      }
    }
    if (alpha_link.is_double()) continue;
    const auto integrals = take.row_of(alpha_link.code / 2);
    intersect(beta_singles_(b, pair_irrep), beside, [&](const SingleLink& link, ColumnIndex column) {
      take.opposite(column, integrals[link.code / 2], alpha_link.code ^ link.code);
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
  void beta_double(ColumnIndex column, const OwnLink& link) {
    elements.push_back({column, false, link.value});
  }
  void alpha_double(ColumnIndex column, const OwnLink& link) {
    elements.push_back({column, false, is_planted(PlantedError::row_class) ? -link.value : link.value});
  }
  const double* row_of(std::uint32_t pair) const { return tables.row(pair); }
  void opposite(ColumnIndex column, double value, std::uint32_t phase) {
    if (std::abs(value) <= tables.threshold()) return;
    elements.push_back({column, false, (phase & 1U) != 0 ? -value : value});
  }
};

/// Elements of a row with their numbers: column << 32 | number, which sorts by column.
struct TakenNumbers {
  const IntegralNumbers& numbers;
  const OwnLinks& alpha_links;
  const OwnLinks& beta_links;
  const Array<ValueNumber>& alpha_numbers;
  const Array<ValueNumber>& beta_numbers;
  std::vector<std::uint64_t> elements = {};
  std::vector<std::pair<ColumnIndex, double>> generals = {};

  void add(ColumnIndex column, ValueNumber number) {
    elements.push_back((std::uint64_t{static_cast<std::uint32_t>(column)} << 32) | number);
  }
  void general(ColumnIndex column, double value) { generals.emplace_back(column, value); }
  void beta_double(ColumnIndex column, const OwnLink& link) {
    add(column, beta_numbers[beta_links.place_of(link)]);
  }
  void alpha_double(ColumnIndex column, const OwnLink& link) {
    add(column, alpha_numbers[alpha_links.place_of(link)]);
  }
  const ValueNumber* row_of(std::uint32_t pair) const { return numbers.row(pair); }
  void opposite(ColumnIndex column, ValueNumber number, std::uint32_t phase) {
    if (number != IntegralNumbers::vanishing) add(column, number ^ (phase << 31));
  }
};

}  // namespace

void ListRowSource::count(RowRange range, std::span<std::int64_t> lengths) const {
  TakenValues taken{tables_};
  for (std::int64_t row = range.first; row < range.last; ++row) {
    taken.elements.clear();
    collect(row, taken);
    lengths[row - range.first] = std::ssize(taken.elements);
  }
}

void ListRowSource::fill(RowRange range, RowSink& sink) const {
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

class ListRowSource::Numbered final : public NumberedRowSource {
public:
  explicit Numbered(const ListRowSource& source)
      : source_(source), numbers_(source.tables_),
        alpha_numbers_(numbers_.of_links(Spin::alpha, source.alpha_links_)),
        beta_numbers_(numbers_.of_links(Spin::beta, source.beta_links_)) {}

  std::int64_t num_rows() const override { return source_.num_rows(); }
  std::span<const double> magnitudes() const override { return numbers_.magnitudes(); }

  void fill(RowRange range, NumberedRowSink& sink) const override {
    std::vector<std::int32_t> rows(range.size());
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

std::unique_ptr<const NumberedRowSource> ListRowSource::numbered() const {
  return std::make_unique<Numbered>(*this);
}

#define INSTANTIATE(W) template ListRowSource::ListRowSource(const Space<W>&, const IntegralTables&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
