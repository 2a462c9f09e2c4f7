// SPDX-License-Identifier: MIT
#include "cisolve/sparse/growing_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

/// Rows that one thread has taken, behind one another.
class TakenRows final : public RowSink {
public:
  void row(const MatrixRow& row) override {
    lengths.push_back(std::ssize(row.columns));
    columns.insert(columns.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    if (!row.columns.empty() && row.columns.back() == row.index) ++diagonal;
  }

  std::vector<std::int64_t> lengths;
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  std::int64_t diagonal = 0;
};

}  // namespace

void GrowingMatrix::append(const RowSource& source, const BuildOptions& options) {
  const std::int64_t news = source.num_rows() - num_rows_;
  if (news < 0) throw DimensionError("GrowingMatrix: the source has fewer rows than the matrix");
  require_indexable(source.num_rows(), source.num_columns());
  if (source.num_columns() != source.num_rows())
    throw DimensionError("GrowingMatrix: the source is not square");
  if (options.rows_per_chunk < 1) throw DimensionError("GrowingMatrix: rows_per_chunk must be >= 1");
  const std::int64_t per_chunk = options.rows_per_chunk;
  std::vector<TakenRows> parts((news + per_chunk - 1) / per_chunk);
  for_each_chunk(news, options, [&](RowRange range) {
    source.fill_lower({num_rows_ + range.first, num_rows_ + range.last}, parts[range.first / per_chunk]);
  });
  Segment segment;
  segment.first_row = num_rows_;
  segment.offsets = {0};
  std::vector<std::int64_t> begins;
  std::int64_t diagonal = 0;
  for (const TakenRows& part : parts) {
    begins.push_back(segment.offsets.back());
    for (const std::int64_t length : part.lengths) segment.offsets.push_back(segment.offsets.back() + length);
    diagonal += part.diagonal;
  }
  if (std::ssize(segment.offsets) != news + 1) throw DimensionError("row source: rows are missing");
  segment.columns = Array<ColumnIndex>(segment.offsets.back());
  segment.values = Array<double>(segment.offsets.back());
  parallel_for(std::ssize(parts), 1, [&](std::int64_t p) {
    std::ranges::copy(parts[p].columns, segment.columns.data() + begins[p]);
    std::ranges::copy(parts[p].values, segment.values.data() + begins[p]);
    parts[p] = TakenRows();
  });
  const std::int64_t stored = segment.offsets.back();
  segments_.push_back(std::move(segment));
  stored_ += stored;
  diagonal_ += diagonal;
  num_rows_ += news;
}

GrowingMatrix GrowingMatrix::restricted_to(std::span<const std::int64_t> rows) const {
  std::vector<ColumnIndex> places(num_rows_, -1);
  for (std::size_t r = 0; r < rows.size(); ++r) places[rows[r]] = static_cast<ColumnIndex>(r);
  Segment segment;
  segment.offsets.assign(rows.size() + 1, 0);
  parallel_for(std::ssize(rows), 256, [&](std::int64_t r) {
    for_each_stored(rows[r], [&](ColumnIndex column, double) {
      if (places[column] >= 0) ++segment.offsets[static_cast<std::size_t>(r) + 1];
    });
  });
  for (std::size_t r = 0; r < rows.size(); ++r) segment.offsets[r + 1] += segment.offsets[r];
  segment.columns = Array<ColumnIndex>(segment.offsets.back());
  segment.values = Array<double>(segment.offsets.back());
  GrowingMatrix part;
  std::vector<std::int8_t> has_diagonal(rows.size(), 0);
  parallel_for(std::ssize(rows), 256, [&](std::int64_t r) {
    std::int64_t at = segment.offsets[r];
    for_each_stored(rows[r], [&](ColumnIndex column, double value) {
      if (places[column] < 0) return;
      if (column == rows[r]) has_diagonal[r] = 1;
      segment.columns[at] = places[column];
      segment.values[at++] = value;
    });
  });
  part.num_rows_ = std::ssize(rows);
  part.stored_ = segment.offsets.back();
  part.diagonal_ = std::accumulate(has_diagonal.begin(), has_diagonal.end(), std::int64_t{0});
  part.segments_.push_back(std::move(segment));
  return part;
}

std::int64_t GrowingMatrix::bytes() const {
  std::int64_t bytes = 0;
  for (const Segment& s : segments_)
    bytes += static_cast<std::int64_t>(s.offsets.size() * sizeof(std::int64_t) + s.columns.size_bytes() +
                                       s.values.size_bytes());
  return bytes;
}

const GrowingMatrix::Segment& GrowingMatrix::segment_of(std::int64_t row) const {
  const auto after = std::ranges::upper_bound(segments_, row, {}, &Segment::first_row);
  return *(after - 1);
}

std::int64_t GrowingMatrix::stored_before(std::int64_t row) const {
  std::int64_t before = 0;
  for (const Segment& s : segments_) {
    if (s.first_row >= row) break;
    before += s.offsets[static_cast<std::size_t>(std::min(row - s.first_row, std::ssize(s.offsets) - 1))];
  }
  return before;
}

/// Ends of the parts of a product: rows of about as much work each. Their number goes by the matrix alone: a part costs a
/// vector to be cleared and added up.
std::vector<std::int64_t> GrowingMatrix::part_ends() const {
  constexpr std::int64_t least_per_row = 16, most = 64;
  const std::int64_t parts =
      std::clamp<std::int64_t>(stored_ / (least_per_row * std::max<std::int64_t>(num_rows_, 1)), 1, most);
  std::vector<std::int64_t> ends;
  for (std::int64_t p = 1; p <= parts; ++p) {
    ends.push_back(first_row_of(num_rows_, static_cast<int>(p), static_cast<int>(parts),
                                [&](std::int64_t row) { return stored_before(row) + 4 * row; }));
  }
  return ends;
}

template <std::size_t width>
void GrowingMatrix::add_rows(std::int64_t first, std::int64_t last, const double* x, double* y) const {
  for (const Segment& segment : segments_) {
    const std::int64_t begin = std::max(first, segment.first_row);
    const std::int64_t end = std::min(last, segment.first_row + std::ssize(segment.offsets) - 1);
    for (std::int64_t row = begin; row < end; ++row) {
      const std::size_t at = static_cast<std::size_t>(row - segment.first_row);
      std::array<double, width> own{}, sums{};
      for (std::size_t k = 0; k < width; ++k) own[k] = x[static_cast<std::size_t>(row) * width + k];
      const std::int64_t first_element = segment.offsets[at], end_element = segment.offsets[at + 1];
      const bool has_diagonal = end_element > first_element && segment.columns[end_element - 1] == row;
      for (std::int64_t e = first_element; e < end_element - (has_diagonal ? 1 : 0); ++e) {
        const std::size_t column = static_cast<std::size_t>(segment.columns[e]);
        const double value = segment.values[e];
        for (std::size_t k = 0; k < width; ++k) {
          sums[k] += value * x[column * width + k];
          y[column * width + k] += value * own[k];
        }
      }
      if (has_diagonal) {
        for (std::size_t k = 0; k < width; ++k) sums[k] += segment.values[end_element - 1] * own[k];
      }
      for (std::size_t k = 0; k < width; ++k) y[static_cast<std::size_t>(row) * width + k] += sums[k];
    }
  }
}

void GrowingMatrix::multiply(ConstHostView x, HostView y, SpmvWorkspace& workspace,
                             ProductUpdate update) const {
  require_spmv_shapes(num_rows_, num_rows_, x, y);
  const std::vector<std::int64_t> ends = part_ends();
  const std::int64_t parts = std::ssize(ends);
  for_each_column_group(x, y, workspace, [&]<class Width>(Width, const double* packed, HostView to) {
    constexpr std::size_t width = Width::value;
    const std::size_t length = static_cast<std::size_t>(num_rows_) * width;
    double* sums = workspace.partial_sums(static_cast<std::size_t>(parts) * length);
    parallel_for(parts, 1, [&](std::int64_t p) {
      double* own = sums + static_cast<std::size_t>(p) * length;
      std::fill_n(own, static_cast<std::size_t>(ends[p]) * width, 0.0);
      add_rows<width>(p == 0 ? 0 : ends[p - 1], ends[p], packed, own);
    });
    constexpr std::int64_t chunk = 4096;
    parallel_for((num_rows_ + chunk - 1) / chunk, 1, [&](std::int64_t c) {
      for (std::int64_t row = c * chunk; row < std::min((c + 1) * chunk, num_rows_); ++row) {
        for (int k = 0; k < to.columns; ++k) {
          double sum = 0.0;
          for (std::int64_t p = 0; p < parts; ++p) {
            if (row < ends[p])
              sum += sums[static_cast<std::size_t>(p) * length + static_cast<std::size_t>(row) * width +
                          static_cast<std::size_t>(k)];
          }
          put(sum, update, to.column(k)[row]);
        }
      }
    });
  });
}

void GrowingMatrix::multiply_plainly(ConstHostView x, HostView y) const {
  require_spmv_shapes(num_rows_, num_rows_, x, y);
  for (int k = 0; k < x.columns; ++k) {
    std::fill_n(y.column(k), num_rows_, 0.0);
    for (std::int64_t row = 0; row < num_rows_; ++row) {
      for_each_stored(row, [&](ColumnIndex column, double value) {
        y.column(k)[row] += value * x.column(k)[column];
        if (column != row) y.column(k)[column] += value * x.column(k)[row];
      });
    }
  }
}

}  // namespace cisolve
