// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/sparse/coded_matrix.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::testing {

/// A row source that holds its rows and which of their elements are general.
class CodedSource final : public ListedSource {
public:
  struct Row {
    ListedSource::Row row;
    std::vector<std::int32_t> general;
  };

  explicit CodedSource(std::vector<Row> rows) : ListedSource(plain_rows(rows)) {
    for (Row& row : rows) general_.push_back(std::move(row.general));
  }
  void fill(RowRange range, RowSink& sink) const override {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      sink.row({.index = i, .columns = row(i).columns, .values = row(i).values,
                .general = general_[static_cast<std::size_t>(i)]});
    }
  }

private:
  static std::vector<ListedSource::Row> plain_rows(const std::vector<Row>& rows) {
    std::vector<ListedSource::Row> plain;
    for (const Row& row : rows) plain.push_back(row.row);
    return plain;
  }
  std::vector<std::vector<std::int32_t>> general_;
};

/// Rows of `length` nonzeros: mostly one of `magnitudes` values, with either sign; every 23rd general.
inline CodedSource ci_like_source(std::int64_t n, std::int64_t length, int magnitudes) {
  std::mt19937_64 engine(11);
  const std::vector<double> values = random_vector(static_cast<std::size_t>(magnitudes), 12);
  std::vector<CodedSource::Row> rows(static_cast<std::size_t>(n));
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
  std::vector<CodedSource::Row> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    CodedSource::Row& row = rows[static_cast<std::size_t>(i)];
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
  cases.push_back({"unsorted", [] { return uneven_coded_source(700); }, {.window = 32}});
  cases.push_back({"sorted_in_blocks", [] { return uneven_coded_source(700); }, {.window = 2048}});
  cases.push_back({"too_many_values", [] { return ci_like_source(700, 60, 300); }, {.max_codes = 50}});
  cases.push_back({"far", [] { return far_source(); }});
  cases.push_back({"far_in_wide_jumps", [] { return far_source(); }, {.narrow_jump_rows = 1000}});
  cases.push_back({"more_than_32767_values", [] { return ci_like_source(2000, 60, 40'000); }});
  return cases;
}

/// A x in long double, rounded once: column-major, without gaps.
inline std::vector<double> long_double_product(const CsrMatrix& a, ConstHostView x) {
  std::vector<double> y;
  for (int k = 0; k < x.columns; ++k) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.num_rows); ++row) {
      long double sum = 0.0L;
      for (auto at = static_cast<std::size_t>(a.offsets[row]);
           at < static_cast<std::size_t>(a.offsets[row + 1]); ++at) {
        sum += static_cast<long double>(a.values[at]) * x.column(k)[a.columns[at]];
      }
      y.push_back(static_cast<double>(sum));
    }
  }
  return y;
}

}  // namespace cisolve::testing
