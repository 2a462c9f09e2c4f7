// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve::test {

/// A row source that holds its rows.
class ListedSource : public RowSource {
public:
  struct Row {
    std::vector<ColumnIndex> columns;
    std::vector<double> values;
  };

  ListedSource() = default;
  /// @param num_columns  none: as many as rows
  explicit ListedSource(std::vector<Row> rows, std::optional<std::int64_t> num_columns = std::nullopt)
      : rows_(std::move(rows)), num_columns_(num_columns) {}

  std::int64_t num_rows() const override { return std::ssize(rows_); }
  std::int64_t num_columns() const override { return num_columns_.value_or(num_rows()); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      lengths[i - range.first] = std::ssize(row(i).columns);
    }
  }
  void fill(RowRange range, RowSink& sink) const override {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      sink.row({.index = i, .columns = row(i).columns, .values = row(i).values, .general = {}});
    }
  }

  const Row& row(std::int64_t i) const { return rows_[i]; }
  Row& row(std::int64_t i) { return rows_[i]; }

private:
  std::vector<Row> rows_;
  std::optional<std::int64_t> num_columns_;
};

/// Rows of very different length: row 0 dense, every fifth empty, the others with 1 to 70 nonzeros in
/// random places, so that row ends fall on all sides of slot, lane and warp borders.
inline ListedSource uneven_matrix(std::int64_t n, std::int64_t num_columns, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<ListedSource::Row> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % 5 == 3) continue;
    const double wanted = i == 0 ? static_cast<double>(num_columns) : static_cast<double>(1 + engine() % 70);
    const double density = wanted / static_cast<double>(num_columns);
    ListedSource::Row& row = rows[i];
    std::uniform_real_distribution<double> uniform;
    for (std::int64_t j = 0; j < num_columns; ++j) {
      if (uniform(engine) >= density) continue;
      row.columns.push_back(static_cast<ColumnIndex>(j));
      row.values.push_back(normal(engine));
    }
  }
  return ListedSource(std::move(rows), num_columns);
}

inline ListedSource uneven_matrix(std::int64_t n, unsigned seed = 42) { return uneven_matrix(n, n, seed); }

/// For each element of A x, how far two ways of summing it may lie apart: sums of m products, in any
/// order and fused or not, differ by at most 2 gamma_m |A||x| ~ m eps |A||x| (N. J. Higham, Accuracy and
/// Stability of Numerical Algorithms, sec. 3.1).
inline std::vector<double> rounding_bound(const CsrMatrix& a, ConstHostView x) {
  std::vector<double> bound;
  for (int k = 0; k < x.columns; ++k) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.num_rows); ++row) {
      double scale = 0.0;
      const std::size_t first = a.offsets[row];
      const std::size_t last = a.offsets[row + 1];
      for (std::size_t at = first; at < last; ++at) {
        scale += std::abs(a.values[at] * x.column(k)[a.columns[at]]);
      }
      bound.push_back(static_cast<double>(last - first + 1) * std::numeric_limits<double>::epsilon() * scale);
    }
  }
  return bound;
}

}  // namespace cisolve::test
