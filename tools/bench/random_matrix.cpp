// SPDX-License-Identifier: MIT
#include "random_matrix.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "cisolve/core/error.hpp"
#include "random.hpp"

namespace cisolve::bench {
namespace {

constexpr double mean_close_gap = 4.5;  // 1 .. 8

}  // namespace

RandomMatrix::RandomMatrix(const RandomMatrixShape& shape) : shape_(shape) {
  const auto rows = static_cast<double>(shape.num_rows);
  if (shape.num_rows < 1 || shape.num_rows > std::numeric_limits<ColumnIndex>::max()) {
    throw InputError("--random-matrix: the number of rows must be in 1 .. 2147483647");
  }
  if (!(shape.mean_row_length >= 1.0 && shape.mean_row_length <= rows)) {
    throw InputError("--random-matrix: the nonzeros per row must be in 1 .. rows");
  }
  if (!(shape.clustering >= 0.0 && shape.clustering < 1.0)) {
    throw InputError("--clustering: must be at least 0 and less than 1");
  }
}

template <class Visit>
void RandomMatrix::visit_row(std::int64_t row, const Visit& visit) const {
  Random random(shape_.seed, row);
  const auto columns = static_cast<double>(shape_.num_rows);
  const double length = shape_.mean_row_length * (0.5 + random.uniform());
  // Close gaps leave the rest of the columns to the wide ones; dense rows have no room for them.
  const double mean_gap = std::max(columns / length, 1.0);
  const double close = mean_gap > 2.0 * mean_close_gap ? shape_.clustering : 0.0;
  const double mean_wide_gap = (mean_gap - close * mean_close_gap) / (1.0 - close);
  double column = -1.0;
  while (true) {
    if (random.uniform() < close) {
      column += 1.0 + static_cast<double>(random.next() % 8);
    } else {
      column += std::max(1.0, std::round(-mean_wide_gap * std::log(random.uniform())));
    }
    if (column >= columns) return;
    visit(static_cast<ColumnIndex>(column), random.uniform() - 0.5);
  }
}

void RandomMatrix::count(RowRange range, std::span<std::int64_t> lengths) const {
  for (std::int64_t row = range.first; row < range.last; ++row) {
    std::int64_t length = 0;
    visit_row(row, [&](ColumnIndex, double) { ++length; });
    lengths[row - range.first] = length;
  }
}

void RandomMatrix::fill(RowRange range, RowSink& sink) const {
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    columns.clear();
    values.clear();
    visit_row(row, [&](ColumnIndex column, double value) {
      columns.push_back(column);
      values.push_back(value);
    });
    sink.row({.index = row, .columns = columns, .values = values, .general = {}});
  }
}

}  // namespace cisolve::bench
