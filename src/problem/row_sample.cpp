// SPDX-License-Identifier: MIT
#include "problem/row_sample.hpp"

#include <numeric>
#include <span>

#include "cisolve/core/parallel.hpp"
#include "cisolve/sparse/row_lengths.hpp"

namespace cisolve {
namespace {

// Neighbouring rows are alike, above all those of one configuration: many short pieces tell more.
constexpr std::int64_t pieces = 512;
constexpr std::int64_t piece = 32;
/// Smaller matrices are counted.
constexpr std::int64_t most_counted = 2 * pieces * piece;

std::int64_t first_row(std::int64_t num_rows, std::int64_t k) { return num_rows * k / pieces; }

}  // namespace

RowSample::RowSample(const RowSource& rows) : num_rows_(rows.num_rows()) {
  if (num_rows_ <= most_counted) {
    lengths_ = count_rows(rows);
    return;
  }
  lengths_.resize(pieces * piece);
  parallel_for(pieces, 1, [&](std::int64_t k) {
    const std::int64_t first = (first_row(num_rows_, k) + first_row(num_rows_, k + 1) - piece) / 2;
    rows.count({first, first + piece}, std::span(lengths_).subspan(k * piece, piece));
  });
}

double RowSample::nonzeros() const {
  return static_cast<double>(std::reduce(lengths_.begin(), lengths_.end())) / share();
}

std::vector<std::int64_t> RowSample::spread() const {
  if (is_whole()) return lengths_;
  std::vector<std::int64_t> all(num_rows_);
  for (std::int64_t k = 0; k < pieces; ++k) {
    const std::int64_t first = first_row(num_rows_, k);
    for (std::int64_t row = first; row < first_row(num_rows_, k + 1); ++row) {
      all[row] = lengths_[k * piece + (row - first) % piece];
    }
  }
  return all;
}

}  // namespace cisolve
