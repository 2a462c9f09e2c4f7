// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/formats.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::test {

/// A row of the table of formats with options: a parameter of the suites over all formats.
struct FormatCase {
  std::string name;
  FormatOptions options = {};

  const StorageFormat& format() const { return *find_storage_format(name.substr(0, name.find('/'))); }
};

inline void PrintTo(const FormatCase& value, std::ostream* out) { *out << value.name; }

/// Every format of the table as it comes, and with options that put borders elsewhere.
inline std::vector<FormatCase> format_cases() {
  std::vector<FormatCase> cases;
  for (const StorageFormat& format : storage_formats()) cases.push_back({std::string(format.name)});
  cases.push_back({"hybrid/tail_alone", {.ell_width = 0}});
  cases.push_back({"hybrid/narrow", {.ell_width = 3}});
  cases.push_back({"hybrid/no_tail", {.ell_width = 1000000}});
  cases.push_back({"hybrid/by_columns", {.reference_columns = 1}});
  cases.push_back({"hybrid-paper/narrow", {.ell_width = 33}});
  cases.push_back({"sliced-ell/slices_of_7", {.slice_size = 7}});
  cases.push_back({"sliced-ell-r/slices_of_100", {.slice_size = 100}});
  for (const std::int32_t size : {1, 17, 256, 8192}) {
    FormatOptions options;
    options.block_size = size;
    cases.push_back({"csb/blocks_of_" + std::to_string(size), options});
  }
  return cases;
}

/// |y - A x| / |A x|, the largest of the columns, against sums in long double. Infinite if y has anything
/// that is no number.
inline double product_error(const CsrMatrix& a, ConstHostView x, ConstHostView y) {
  double largest = 0.0;
  for (int k = 0; k < x.columns; ++k) {
    long double difference = 0.0L;
    long double norm = 0.0L;
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.num_rows); ++row) {
      long double sum = 0.0L;
      const std::size_t last = a.offsets[row + 1];
      for (std::size_t at = a.offsets[row]; at < last; ++at) {
        sum += static_cast<long double>(a.values[at]) * static_cast<long double>(x.column(k)[a.columns[at]]);
      }
      const long double distance = static_cast<long double>(y.column(k)[row]) - sum;
      difference += distance * distance;
      norm += sum * sum;
    }
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    if (norm == 0.0L && difference > 0.0L) return std::numeric_limits<double>::infinity();
    if (norm > 0.0L) largest = std::max(largest, static_cast<double>(std::sqrt(difference / norm)));
  }
  return largest;
}

/// One dense row of more than 2^16 nonzeros, three short ones around it, and otherwise the diagonal.
inline ListedSource long_row_matrix() {
  constexpr std::int64_t n = 66'001;
  std::vector<ListedSource::Row> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    ListedSource::Row& row = rows[i];
    if (i % 7 == 3) continue;
    const std::int64_t first = i == 4711 ? 0 : i;
    const std::int64_t last = i == 4711 ? n : i + 1;
    for (std::int64_t j = first; j < last; ++j) {
      row.columns.push_back(static_cast<ColumnIndex>(j));
      row.values.push_back(1.0 / static_cast<double>(1 + (i + 3 * j) % 101));
    }
  }
  return ListedSource(std::move(rows));
}

}  // namespace cisolve::test
