// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::test {

/// A row source that holds its rows and which of their elements are general.
class CodedSource final : public ListedSource {
public:
  struct Row {
    ListedSource::Row row;
    std::vector<std::int32_t> general;
  };

  /// @param num_columns  none: as many as rows
  explicit CodedSource(std::vector<Row> rows, std::optional<std::int64_t> num_columns = std::nullopt)
      : ListedSource(plain_rows(rows), num_columns) {
    for (Row& row : rows) general_.push_back(std::move(row.general));
  }
  void fill(RowRange range, RowSink& sink) const override {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      sink.row({.index = i, .columns = row(i).columns, .values = row(i).values, .general = general_[i]});
    }
  }

  /// Some rows of it, and their elements in the columns below `num_columns`.
  CodedSource part(RowRange range, std::int64_t num_columns) const {
    std::vector<Row> rows;
    for (std::int64_t i = range.first; i < range.last; ++i) {
      const auto end = std::ranges::lower_bound(row(i).columns, num_columns) - row(i).columns.begin();
      const auto general = std::ranges::lower_bound(general_[i], end);
      rows.push_back({{{row(i).columns.begin(), row(i).columns.begin() + end},
                       {row(i).values.begin(), row(i).values.begin() + end}},
                      {general_[i].begin(), general}});
    }
    return CodedSource(std::move(rows), num_columns);
  }

  bool rows_are_independent() const override { return true; }
  /// The same rows with a local order, at random.
  CodedSource shuffled() && {
    order_.resize(general_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(13));
    return std::move(*this);
  }
  /// The same with any local order, sound or not.
  CodedSource in_order(std::vector<std::int32_t> order) && {
    order_ = std::move(order);
    return std::move(*this);
  }
  Array<std::int32_t> local_order() const override {
    Array<std::int32_t> order(order_.size());
    std::copy(order_.begin(), order_.end(), order.begin());
    return order;
  }

private:
  static std::vector<ListedSource::Row> plain_rows(const std::vector<Row>& rows) {
    std::vector<ListedSource::Row> plain;
    for (const Row& row : rows) plain.push_back(row.row);
    return plain;
  }
  std::vector<std::vector<std::int32_t>> general_;
  std::vector<std::int32_t> order_;
};

/// The rows of a CodedSource with a table of their values, and of others that occur nowhere.
class NumberingSource final : public RowSource {
public:
  explicit NumberingSource(CodedSource rows) : rows_(std::move(rows)) {
    std::set<double> magnitudes;
    Collector collector{magnitudes};
    rows_.fill({0, rows_.num_rows()}, collector);
    for (const double magnitude : std::vector(magnitudes.begin(), magnitudes.end()))
      magnitudes.insert(magnitude + 1e-3);
    magnitudes_.assign(magnitudes.begin(), magnitudes.end());
  }
  std::int64_t num_rows() const override { return rows_.num_rows(); }
  std::int64_t num_columns() const override { return rows_.num_columns(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override { rows_.count(range, lengths); }
  void fill(RowRange range, RowSink& sink) const override { rows_.fill(range, sink); }
  std::unique_ptr<const NumberedRowSource> numbered() const override {
    return std::make_unique<Numbered>(*this);
  }
  Array<std::int32_t> local_order() const override { return rows_.local_order(); }
  bool rows_are_independent() const override { return true; }

private:
  static bool is_general(const MatrixRow& row, std::size_t at) {
    return std::binary_search(row.general.begin(), row.general.end(), static_cast<std::int32_t>(at));
  }

  struct Collector final : RowSink {
    explicit Collector(std::set<double>& set) : magnitudes(set) {}
    void row(const MatrixRow& row) override {
      for (std::size_t at = 0; at < row.values.size(); ++at) {
        if (!is_general(row, at)) magnitudes.insert(std::abs(row.values[at]));
      }
    }
    std::set<double>& magnitudes;
  };

  class Numbered final : public NumberedRowSource {
  public:
    explicit Numbered(const NumberingSource& owner) : owner_(owner) {}
    std::int64_t num_rows() const override { return owner_.num_rows(); }
    std::int64_t num_columns() const override { return owner_.num_columns(); }
    std::span<const double> magnitudes() const override { return owner_.magnitudes_; }
    void fill(RowRange range, NumberedRowSink& sink) const override {
      Translator translator(owner_.magnitudes_, sink);
      owner_.fill(range, translator);
    }

  private:
    const NumberingSource& owner_;
  };

  class Translator final : public RowSink {
  public:
    Translator(const std::vector<double>& magnitudes, NumberedRowSink& next)
        : magnitudes_(magnitudes), next_(next) {}
    void row(const MatrixRow& row) override {
      std::vector<ColumnIndex> columns, general_columns;
      std::vector<ValueNumber> numbers;
      std::vector<double> general_values;
      for (std::size_t at = 0; at < row.values.size(); ++at) {
        if (is_general(row, at)) {
          general_columns.push_back(row.columns[at]);
          general_values.push_back(row.values[at]);
          continue;
        }
        const auto place = std::lower_bound(magnitudes_.begin(), magnitudes_.end(), std::abs(row.values[at]));
        columns.push_back(row.columns[at]);
        numbers.push_back(static_cast<ValueNumber>(place - magnitudes_.begin()) |
                          (row.values[at] < 0.0 ? negative_number : 0U));
      }
      next_.row({row.index, columns, numbers, general_columns, general_values, 0});
    }

  private:
    const std::vector<double>& magnitudes_;
    NumberedRowSink& next_;
  };

  CodedSource rows_;
  std::vector<double> magnitudes_;
};

/// Rows of `length` nonzeros: mostly one of `magnitudes` values, with either sign; every 23rd general.
inline CodedSource ci_like_source(std::int64_t n, std::int64_t length, int magnitudes) {
  std::mt19937_64 engine(11);
  const std::vector<double> values = random_vector(magnitudes, 12);
  std::vector<CodedSource::Row> rows(n);
  for (CodedSource::Row& row : rows) {
    const auto step = static_cast<std::uint64_t>(n / length);
    std::uint64_t column = engine() % step;
    for (std::int32_t at = 0; at < length; ++at, column += 1 + engine() % (step * 2 - 1)) {
      if (column >= static_cast<std::uint64_t>(n)) break;
      const double value = values[engine() % values.size()];
      const bool is_general = at % 23 == 7;
      row.row.columns.push_back(static_cast<ColumnIndex>(column));
      row.row.values.push_back(is_general ? value * 1.1 + static_cast<double>(at)
                                          : (engine() % 2 == 0 ? value : -value));
      if (is_general) row.general.push_back(at);
    }
  }
  return CodedSource(std::move(rows));
}

/// uneven_matrix with few values, a part of them general.
inline CodedSource uneven_coded_source(std::int64_t n, int general_of_seven = 1) {
  const ListedSource plain = uneven_matrix(n);
  std::vector<CodedSource::Row> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    CodedSource::Row& row = rows[i];
    row.row = plain.row(i);
    for (std::size_t at = 0; at < row.row.values.size(); ++at) {
      if (static_cast<int>((at * 3 + static_cast<std::size_t>(i)) % 7) < general_of_seven) {
        row.general.push_back(static_cast<std::int32_t>(at));
      } else {
        row.row.values[at] = std::floor(row.row.values[at] * 8.0) / 8.0 + 0.0625;
      }
    }
  }
  return CodedSource(std::move(rows));
}

/// Rows with jumps of all lengths, one of them with all its columns, one with the corners only.
inline CodedSource far_source() {
  constexpr std::int64_t n = 150'000;
  std::vector<CodedSource::Row> rows(n);
  const auto add = [&](std::size_t row, std::int64_t column) {
    rows[row].row.columns.push_back(static_cast<ColumnIndex>(column));
    rows[row].row.values.push_back(column % 3 == 0 ? -0.5 : 0.25 * static_cast<double>(1 + column % 5));
  };
  for (std::int64_t column = 0; column < n; ++column) add(70'000, column);  // more than 2^16 entries
  for (const std::int64_t column : {std::int64_t{0}, n - 1}) add(1, column);
  for (const std::int64_t column : {0, 65535, 131071, 131072, 149'999}) add(2, column);  // 65535, 65536, 1
  for (const std::int64_t column : {7, 131078}) add(n - 1, column);  // 131071 = 2 * 65535 + 1
  add(3, 149'999);
  return CodedSource(std::move(rows));
}

struct CodedCase {
  std::string name;
  std::function<CodedSource()> make;
  CodedLayout layout = {};
};

/// What can go wrong at an edge: of a slice, a block, a chunk, the dictionary, a word.
inline std::vector<CodedCase> coded_cases() {
  std::vector<CodedCase> cases;
  cases.push_back({"no_rows", [] { return CodedSource({}); }});
  for (const int n : {1, 5, 31, 32, 33, 255, 257, 1000}) {
    cases.push_back({"uneven_" + std::to_string(n), [n] { return uneven_coded_source(n); }});
  }
  cases.push_back({"empty_rows", [] { return CodedSource(std::vector<CodedSource::Row>(77)); }});
  cases.push_back({"only_coded", [] { return uneven_coded_source(300, 0); }});
  cases.push_back({"only_general", [] { return uneven_coded_source(300, 7); }});
  cases.push_back({"ci_like", [] { return ci_like_source(700, 60, 300); }});
  cases.push_back({"several_blocks", [] { return ci_like_source(5000, 120, 300); }});
  cases.push_back({"longer_than_a_piece", [] { return ci_like_source(1200, 700, 300); }});
  cases.push_back({"unsorted", [] { return uneven_coded_source(700); }, {.window = 32}});
  cases.push_back({"sorted_in_blocks", [] { return uneven_coded_source(700); }, {.window = 2048}});
  cases.push_back({"too_many_values", [] { return ci_like_source(700, 60, 300); }, {.max_codes = 50}});
  cases.push_back({"far", [] { return far_source(); }});
  cases.push_back({"shuffled", [] { return uneven_coded_source(1000).shuffled(); }});
  cases.push_back({"shuffled_ci_like", [] { return ci_like_source(700, 60, 300).shuffled(); }});
  cases.push_back({"shuffled_with_too_many_values",
                   [] { return ci_like_source(700, 60, 300).shuffled(); },
                   {.max_codes = 50}});
  cases.push_back({"shuffled_far", [] { return far_source().shuffled(); }});
  cases.push_back(
      {"order_not_kept", [] { return uneven_coded_source(300).shuffled(); }, {.row_order = RowOrder::given}});
  cases.push_back({"far_in_wide_jumps", [] { return far_source(); }, {.narrow_jump_columns = 1000}});
  cases.push_back({"wide", [] { return ci_like_source(5000, 120, 300).part({100, 177}, 5000); }});
  cases.push_back({"tall", [] { return uneven_coded_source(700).part({0, 700}, 50); }});
  cases.push_back({"wide_without_rows", [] { return CodedSource({}, 1000); }});
  cases.push_back({"wide_far", [] { return far_source().part({0, 4}, 150'000); }});
  cases.push_back({"wide_far_in_wide_jumps",
                   [] {
                     return far_source().part({0, 4}, 150'000);
                   },
                   {.narrow_jump_columns = 1000}});
  cases.push_back({"more_than_32767_values", [] { return ci_like_source(2000, 60, 40'000); }});
  return cases;
}

/// A x in long double, rounded once: column-major, without gaps.
inline std::vector<double> long_double_product(const CsrMatrix& a, ConstHostView x) {
  std::vector<double> y;
  for (int k = 0; k < x.columns; ++k) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.num_rows); ++row) {
      long double sum = 0.0L;
      for (std::size_t at = a.offsets[row]; at < static_cast<std::size_t>(a.offsets[row + 1]); ++at) {
        sum += static_cast<long double>(a.values[at]) * x.column(k)[a.columns[at]];
      }
      y.push_back(static_cast<double>(sum));
    }
  }
  return y;
}

}  // namespace cisolve::test
