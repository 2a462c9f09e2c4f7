// SPDX-License-Identifier: MIT
#include "paper_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "random.hpp"

namespace cisolve::bench {
namespace {

/// Mean of the largest of 32,768 samples of a normal distribution, in standard deviations.
constexpr double expected_maximum = 4.1;

double normal(Random& random) {  // Box and Muller, doi:10.1214/aoms/1177706645
  const double radius = std::sqrt(-2.0 * std::log(random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

/// Adds or takes single nonzeros, row by row, until the sum is right; the longest row stays the only longest.
void settle_sum(std::vector<std::int32_t>& lengths, std::int64_t total, std::int32_t longest,
                std::size_t at) {
  std::int64_t missing = total - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (std::size_t row = 0; missing != 0; row = (row + 1) % lengths.size()) {
    if (row == at) continue;
    if (missing > 0 && lengths[row] + 1 < longest) {
      ++lengths[row];
      --missing;
    } else if (missing < 0 && lengths[row] > 0) {
      --lengths[row];
      ++missing;
    }
  }
}

/// Nonzeros of each row in the expansion region.
std::vector<std::int32_t> draw_lengths(const PaperMatrixFigures& figures, std::uint64_t seed,
                                       std::int64_t num_rows) {
  const double mean = static_cast<double>(figures.expansion_nonzeros) / static_cast<double>(paper_rows);
  const auto longest = static_cast<std::int32_t>(figures.longest_row - paper_boundary);
  const double deviation = (longest - mean) / expected_maximum;
  std::vector<std::int32_t> lengths(num_rows);
  Random random(seed, -1);
  for (std::int32_t& length : lengths) {
    const double drawn = std::round(mean + deviation * normal(random));
    length = static_cast<std::int32_t>(std::clamp(drawn, 0.0, static_cast<double>(longest - 1)));
  }
  const std::size_t at = figures.longest_row_index * num_rows / paper_rows;
  lengths[at] = longest;
  const double total = mean * static_cast<double>(num_rows);
  settle_sum(lengths, std::llround(total), longest, at);
  return lengths;
}

/// Draws `size` of the columns first .. last - 1, ascending, into `columns`: spacings of a Poisson process,
/// scaled to the room that the nonzeros themselves leave.
void draw_columns(Random& random, std::int64_t first, std::int64_t last, std::span<ColumnIndex> columns,
                  std::vector<double>& places) {
  places.resize(columns.size());
  double sum = 0.0;
  for (double& place : places) place = sum -= std::log(random.uniform());
  sum -= std::log(random.uniform());
  const auto room = static_cast<double>(last - first - std::ssize(columns) + 1);
  const auto most = last - first - std::ssize(columns);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::int64_t free_before = std::min(static_cast<std::int64_t>(room * (places[k] / sum)), most);
    columns[k] = static_cast<ColumnIndex>(first + free_before + static_cast<std::int64_t>(k));
  }
}

}  // namespace

PaperMatrix::PaperMatrix(int number, std::uint64_t seed, std::int64_t num_rows)
    : num_rows_(num_rows), seed_(seed * paper_matrices.size() + static_cast<std::uint64_t>(number)) {
  if (number < 1 || number > std::ssize(paper_matrices)) {
    throw InputError(fmt::format("--paper-matrix: {} is not one of the paper's matrices, 1 .. {}", number,
                                 paper_matrices.size()));
  }
  if (num_rows < paper_rows || num_rows > std::numeric_limits<ColumnIndex>::max()) {
    throw InputError(fmt::format("--paper-rows: {} rows are out of range, {} .. {}", num_rows, paper_rows,
                                 std::numeric_limits<ColumnIndex>::max()));
  }
  expansion_lengths_ = draw_lengths(paper_matrices[number - 1], seed_, num_rows);
}

void PaperMatrix::count(RowRange range, std::span<std::int64_t> lengths) const {
  for (std::int64_t row = range.first; row < range.last; ++row) {
    lengths[row - range.first] = paper_boundary + expansion_lengths_[row];
  }
}

void PaperMatrix::fill(RowRange range, RowSink& sink) const {
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  std::vector<double> places;
  std::vector<std::int32_t> general;
  const std::int64_t border = paper_reference_columns(num_rows_);
  for (std::int64_t row = range.first; row < range.last; ++row) {
    Random random(seed_, row);
    const std::size_t in_reference = paper_boundary;
    const std::size_t length = in_reference + static_cast<std::size_t>(expansion_lengths_[row]);
    columns.resize(length);
    values.resize(length);
    general.resize(length);
    const std::span<ColumnIndex> all(columns);
    draw_columns(random, 0, border, all.first(in_reference), places);
    draw_columns(random, border, num_rows_, all.subspan(in_reference), places);
    for (double& value : values) value = random.uniform() - 0.5;
    std::iota(general.begin(), general.end(), 0);  // no value comes twice
    sink.row({.index = row, .columns = columns, .values = values, .general = general});
  }
}

}  // namespace cisolve::bench
