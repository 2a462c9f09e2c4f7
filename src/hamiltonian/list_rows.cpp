// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/list_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
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

/// Rows by beta string of the determinants beside one alpha string, for as long as that is looked at: of each thread that
/// makes rows one, kept for the next time.
class ListRowSource::Marks {
public:
  explicit Marks(const ListRowSource& source) : source_(source) {
    {
      const std::lock_guard lock(source.marks_mutex_);
      if (!source.free_marks_.empty()) {
        rows_ = std::move(source.free_marks_.back());
        source.free_marks_.pop_back();
      }
    }
    if (rows_.empty()) {
      rows_.assign(static_cast<std::size_t>(source.beta_.size()), none);
      const std::lock_guard lock(source.marks_mutex_);
      source.free_marks_.reserve(++source.num_marks_);  // the destructor takes no memory
    }
  }
  ~Marks() {
    clear();
    const std::lock_guard lock(source_.marks_mutex_);
    source_.free_marks_.push_back(std::move(rows_));
  }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  void set(std::span<const Entry> entries) {
    clear();
    marked_ = entries;
    for (const Entry& entry : entries) rows_[entry.beta] = entry.row;
  }

  /// Row of a beta string, or below 0.
  ColumnIndex row(std::int32_t beta) const { return rows_[beta]; }

private:
  static constexpr ColumnIndex none = -1;

  void clear() {
    for (const Entry& entry : marked_) rows_[entry.beta] = none;
    marked_ = {};
  }

  const ListRowSource& source_;
  std::vector<ColumnIndex> rows_;  ///< [beta strings]
  std::span<const Entry> marked_;
};

/// Whether there is a column, and it is not beyond the last.
constexpr bool is_taken(ColumnIndex column, ColumnIndex last) {
  return static_cast<std::uint32_t>(column) <= static_cast<std::uint32_t>(last);  // none is below 0
}

/// Hands the elements of rows to their takers, in no particular order of columns. Rows of one alpha string go together: what
/// its excitations lead to is marked by beta strings, and each excitation of a beta string is one look at the marks.
template <class Take>
void ListRowSource::collect(std::span<const std::int32_t> rows, std::span<Take> takes, bool is_lower) const {
  std::vector<std::int32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  const auto alpha_of = [&](std::int32_t at) { return list_.alpha_of_row[rows[at]]; };
  std::ranges::stable_sort(order, {}, alpha_of);
  Marks marks(*this);
  std::vector<RowTaker<Take>> run;
  for (auto first = order.begin(); first != order.end();) {
    const std::int32_t alpha = alpha_of(*first);
    const auto last =
        std::find_if(first, order.end(), [&](std::int32_t at) { return alpha_of(at) != alpha; });
    run.clear();
    for (; first != last; ++first) {
      const std::int32_t row = rows[*first];
      run.push_back(
          {list_.beta_of_row[row], is_lower ? row : std::numeric_limits<ColumnIndex>::max(), &takes[*first]});
    }
    collect_run(alpha, std::span<const RowTaker<Take>>(run), marks);
  }
}

template <class Take>
void ListRowSource::add_single(Take& take, ColumnIndex column, const OwnLink& link,
                               const IntegralTables& of_spin, std::span<const std::uint8_t> others) const {
  const double value = link.value + of_spin.coulomb_sum(link.code / 2, others);
  if (std::abs(value) > tables_.threshold()) take.general(column, (link.code & 1U) != 0 ? -value : value);
}

template <class Take>
void ListRowSource::collect_run(std::int32_t alpha, std::span<const RowTaker<Take>> run, Marks& marks) const {
  for (const OwnLink& link : alpha_links_(alpha, 0)) {
    const auto beside = entries(link.target);
    if (link.code == OwnLink::self) {
      marks.set(beside);
      for (const RowTaker<Take>& row : run) collect_beside(alpha, row, marks);
      continue;
    }
    const int pair_irrep = alpha_.irrep(alpha) ^ alpha_.irrep(link.target);
    constexpr std::size_t marking = 8;  // looks by bisection that take as long as a mark
    const bool is_far = beside.size() > marking * run.size();
    if (link.is_double()) {
      if (!is_far) marks.set(beside);
      for (const RowTaker<Take>& row : run) {
        const ColumnIndex column = is_far ? row_of(beside, row.beta) : marks.row(row.beta);
        if (is_taken(column, row.last)) row.take->alpha_double(column, link);
      }
      continue;
    }
    marks.set(beside);
    for (const RowTaker<Take>& row : run) {
      if (pair_irrep == 0) {
        const ColumnIndex column = marks.row(row.beta);
        if (is_taken(column, row.last))
          add_single(*row.take, column, link, tables_, beta_.orbitals(row.beta));
      }
      row.take->opposite(link.code, beta_singles_(row.beta, pair_irrep), marks, row.last);
    }
  }
}

/// Elements with determinants of the same alpha string, the diagonal among them.
template <class Take>
void ListRowSource::collect_beside(std::int32_t alpha, const RowTaker<Take>& row, const Marks& marks) const {
  for (const OwnLink& link : beta_links_(row.beta, 0)) {
    const ColumnIndex column = marks.row(link.target);
    if (!is_taken(column, row.last)) continue;
    if (link.is_double()) {
      row.take->beta_double(column, link);
    } else if (link.code == OwnLink::self) {
      double value = tables_.core_energy() + tables_.string_energy(alpha_.orbitals(alpha)) +
                     tables_.beta().string_energy(beta_.orbitals(row.beta));
      for (const std::uint8_t r : beta_.orbitals(row.beta))
        value += tables_.beta().coulomb_sum(tables_.pair(r, r), alpha_.orbitals(alpha));
      if (std::abs(value) > tables_.threshold()) row.take->general(column, value);
    } else {
      add_single(*row.take, column, link, tables_.beta(), alpha_.orbitals(alpha));
    }
  }
}

/// Row of a beta string among ascending entries, or below 0.
ColumnIndex ListRowSource::row_of(std::span<const Entry> entries, std::int32_t beta) {
  const auto found = std::ranges::lower_bound(entries, beta, {}, &Entry::beta);
  return found != entries.end() && found->beta == beta ? found->row : -1;
}

namespace {

/// How many elements a row has.
struct CountedRow {
  const IntegralTables* tables;
  std::int64_t count = 0;

  void general(ColumnIndex, double) { ++count; }
  void beta_double(ColumnIndex, const OwnLink&) { ++count; }
  void alpha_double(ColumnIndex, const OwnLink&) { ++count; }
  /// Double excitations of an alpha and a beta electron, as are all of that name.
  /// @param code  of the alpha excitation
  void opposite(std::uint32_t code, std::span<const SingleLink> singles, const auto& marks,
                ColumnIndex last) {
    const double* integrals = tables->row(code / 2);
    const double threshold = tables->threshold();
    for (const SingleLink& single : singles) {
      const bool is_there = is_taken(marks.row(single.target), last);
      count +=
          static_cast<int>(is_there) & static_cast<int>(std::abs(integrals[single.code / 2]) > threshold);
    }
  }
};

/// Elements of a row with their values.
class TakenValues {
public:
  static constexpr std::uint64_t general_bit = 0x80000000U;

  explicit TakenValues(const IntegralTables& tables) : tables_(&tables) {}

  void clear() { size_ = 0; }

  /// column << 32 | general_bit | place among the values
  std::vector<std::uint64_t>& elements() {
    elements_.resize(size_);
    return elements_;
  }
  double value(std::uint64_t element) const { return values_[element & (general_bit - 1)]; }

  void general(ColumnIndex column, double value) { add(column, value, general_bit); }
  void beta_double(ColumnIndex column, const OwnLink& link) { add(column, link.value, 0); }
  void alpha_double(ColumnIndex column, const OwnLink& link) {
    add(column, is_planted(PlantedError::row_class) ? -link.value : link.value, 0);
  }

  /// Without a branch: which of the excitations lead to a listed determinant cannot be foreseen.
  void opposite(std::uint32_t code, std::span<const SingleLink> singles, const auto& marks,
                ColumnIndex last) {
    make_room(singles.size());
    const double* integrals = tables_->row(code / 2);
    const double threshold = tables_->threshold();
    std::size_t size = size_;
    for (const SingleLink& single : singles) {
      const ColumnIndex column = marks.row(single.target);
      const double value = integrals[single.code / 2];
      elements_[size] = element_of(column, size);
      values_[size] = ExcitationCode::with_phase(value, (code ^ single.code) & 1U);
      size += static_cast<std::size_t>(is_taken(column, last)) &
              static_cast<std::size_t>(std::abs(value) > threshold);
    }
    size_ = size;
  }

private:
  static std::uint64_t element_of(ColumnIndex column, std::uint64_t rest) {
    return std::uint64_t{static_cast<std::uint32_t>(column)} << 32 | rest;
  }

  void make_room(std::size_t more) {
    const std::size_t needed = size_ + more;
    if (elements_.size() < needed) elements_.resize(2 * needed);
    if (values_.size() < needed) values_.resize(2 * needed);
  }

  void add(ColumnIndex column, double value, std::uint64_t kind) {
    make_room(1);
    elements_[size_] = element_of(column, kind | size_);
    values_[size_++] = value;
  }

  const IntegralTables* tables_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> elements_;  ///< those beyond size_ are room
  std::vector<double> values_;           ///< likewise
};

/// Elements of a row with their numbers: column << 32 | number, which sorts by column.
struct TakenNumbers {
  const IntegralNumbers* numbers;
  const OwnLinks* alpha_links;
  const OwnLinks* beta_links;
  const Array<ValueNumber>* alpha_numbers;
  const Array<ValueNumber>* beta_numbers;
  std::vector<std::uint64_t> elements = {};
  std::vector<std::pair<ColumnIndex, double>> generals = {};

  void add(ColumnIndex column, ValueNumber number) {
    elements.push_back((std::uint64_t{static_cast<std::uint32_t>(column)} << 32) | number);
  }
  void general(ColumnIndex column, double value) { generals.emplace_back(column, value); }
  void beta_double(ColumnIndex column, const OwnLink& link) {
    add(column, (*beta_numbers)[beta_links->place_of(link)]);
  }
  void alpha_double(ColumnIndex column, const OwnLink& link) {
    add(column, (*alpha_numbers)[alpha_links->place_of(link)]);
  }
  void opposite(std::uint32_t code, std::span<const SingleLink> singles, const auto& marks,
                ColumnIndex last) {
    const ValueNumber* row = numbers->row(code / 2);
    std::size_t size = elements.size();
    elements.resize(size + singles.size());
    for (const SingleLink& single : singles) {
      const ColumnIndex column = marks.row(single.target);
      const ValueNumber number = row[single.code / 2];
      elements[size] =
          (std::uint64_t{static_cast<std::uint32_t>(column)} << 32) | (number ^ ((code ^ single.code) << 31));
      size += static_cast<std::size_t>(is_taken(column, last)) &
              static_cast<std::size_t>(number != IntegralNumbers::vanishing);
    }
    elements.resize(size);
  }
};

std::vector<std::int32_t> numbers_of(RowRange range) {
  std::vector<std::int32_t> rows(range.size());
  std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(range.first));
  return rows;
}

/// Rows that are collected together: those of one alpha string share what its excitations lead to.
constexpr std::size_t rows_together = 256;

}  // namespace

void ListRowSource::count(RowRange range, std::span<std::int64_t> lengths) const {
  const std::vector<std::int32_t> rows = numbers_of(range);
  std::vector<CountedRow> taken(rows.size(), CountedRow{&tables_});
  collect<CountedRow>(rows, taken);
  for (std::size_t k = 0; k < rows.size(); ++k) lengths[k] = taken[k].count;
}

void ListRowSource::fill_up_to(RowRange range, RowSink& sink, bool is_lower) const {
  const std::vector<std::int32_t> rows = numbers_of(range);
  std::vector<TakenValues> taken(std::min(rows.size(), rows_together), TakenValues(tables_));
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  std::vector<std::int32_t> general;
  ColumnSort sort(num_rows());
  for (std::size_t first = 0; first < rows.size(); first += rows_together) {
    const std::size_t count = std::min(rows_together, rows.size() - first);
    for (TakenValues& row : taken) row.clear();
    collect<TakenValues>(std::span(rows).subspan(first, count), std::span(taken).first(count), is_lower);
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<std::uint64_t>& elements = taken[k].elements();
      sort.sort(elements);
      columns.resize(elements.size());
      values.resize(elements.size());
      general.clear();
      for (std::size_t at = 0; at < elements.size(); ++at) {
        columns[at] = static_cast<ColumnIndex>(elements[at] >> 32);
        values[at] = taken[k].value(elements[at]);
        if ((elements[at] & TakenValues::general_bit) != 0) general.push_back(static_cast<std::int32_t>(at));
      }
      sink.row({rows[first + k], columns, values, general});
    }
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

  void fill(RowRange range, NumberedRowSink& sink) const override { fill_rows(numbers_of(range), sink); }

  void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const override {
    std::vector<TakenNumbers> taken(std::min(rows.size(), rows_together),
                                    TakenNumbers{&numbers_, &source_.alpha_links_, &source_.beta_links_,
                                                 &alpha_numbers_, &beta_numbers_});
    ColumnSort sort(num_rows());
    for (std::size_t first = 0; first < rows.size(); first += rows_together) {
      const std::size_t count = std::min(rows_together, rows.size() - first);
      for (TakenNumbers& row : taken) {
        row.elements.clear();
        row.generals.clear();
      }
      source_.collect<TakenNumbers>(rows.subspan(first, count), std::span(taken).first(count));
      for (std::size_t k = 0; k < count; ++k) hand_over(rows[first + k], taken[k], sort, sink);
    }
  }

private:
  static void hand_over(std::int32_t row, TakenNumbers& taken, ColumnSort& sort, NumberedRowSink& sink) {
    sort.sort(taken.elements);
    std::sort(taken.generals.begin(), taken.generals.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<ColumnIndex> columns(taken.elements.size()), general_columns;
    std::vector<ValueNumber> numbers(taken.elements.size());
    std::vector<double> general_values;
    for (std::size_t k = 0; k < taken.elements.size(); ++k) {
      columns[k] = static_cast<ColumnIndex>(taken.elements[k] >> 32);
      numbers[k] = static_cast<ValueNumber>(taken.elements[k] & 0xffffffffU);
    }
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
