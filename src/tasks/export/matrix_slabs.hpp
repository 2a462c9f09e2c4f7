// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stop_token>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Consecutive rows of a matrix in CSR.
struct MatrixSlab {
  RowRange rows;
  std::int64_t first_nonzero = 0;         ///< of the whole matrix, before these
  std::span<const std::int64_t> offsets;  ///< [rows + 1], from 0
  std::span<const ColumnIndex> columns;   ///< ascending within a row
  std::span<const double> values;
};

/// Nonzeros of a slab: 48 MiB, and text of a few times that.
inline constexpr std::int64_t nonzeros_per_slab = std::int64_t{1} << 22;

/// The range of rows from `first` on whose nonzeros fit a slab; one row at least.
inline RowRange next_slab(std::span<const std::int64_t> lengths, std::int64_t first,
                          std::int64_t most_nonzeros) {
  std::int64_t last = first;
  std::int64_t nonzeros = 0;
  while (last < std::ssize(lengths) && (last == first || nonzeros + lengths[last] <= most_nonzeros)) {
    nonzeros += lengths[last++];
  }
  return {first, last};
}

/// Copies rows to their places in a slab.
class SlabSink final : public RowSink {
public:
  /// @param offsets  [rows + 1], where the nonzeros of each row belong
  SlabSink(RowRange rows, std::span<const std::int64_t> offsets, std::span<ColumnIndex> columns,
           std::span<double> values)
      : rows_(rows), offsets_(offsets), columns_(columns), values_(values) {}

  void row(const MatrixRow& row) override {
    const std::size_t at = row.index - rows_.first;
    if (row.index < rows_.first || row.index >= rows_.last ||
        std::ssize(row.columns) != offsets_[at + 1] - offsets_[at]) {
      throw DimensionError("row source: a row has changed its length");
    }
    std::copy(row.columns.begin(), row.columns.end(), columns_.begin() + offsets_[at]);
    std::copy(row.values.begin(), row.values.end(), values_.begin() + offsets_[at]);
  }

private:
  RowRange rows_;
  std::span<const std::int64_t> offsets_;
  std::span<ColumnIndex> columns_;
  std::span<double> values_;
};

/// Computes the rows of a slab with all threads. The first exception is thrown again on the calling thread.
inline void fill_slab(const RowSource& source, RowRange rows, std::stop_token stop, SlabSink& sink) {
  constexpr std::int64_t piece = 64;
  parallel_for((rows.size() + piece - 1) / piece, 1, [&](std::int64_t k) {
    if (stop.stop_requested()) throw Interrupted("stopped while the matrix was being written");
    const std::int64_t first = rows.first + k * piece;
    source.fill({first, std::min(first + piece, rows.last)}, sink);
  });
}

/// Calls take(MatrixSlab) for one range of rows after the other, each computed by all threads; a slab lives
/// during the call.
/// @throws DimensionError if the rows disagree with `lengths`; Interrupted if a stop was requested
template <class Take>
void for_each_slab(const RowSource& source, std::span<const std::int64_t> lengths,
                   const BuildOptions& options, const Take& take,
                   std::int64_t most_nonzeros = nonzeros_per_slab) {
  const std::int64_t n = std::ssize(lengths);
  std::vector<std::int64_t> offsets;
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  std::int64_t first_nonzero = 0;
  for (std::int64_t first = 0; first < n;) {
    const RowRange rows = next_slab(lengths, first, most_nonzeros);
    const auto of_slab = lengths.subspan(first, rows.size());
    offsets.assign(of_slab.size() + 1, 0);
    std::partial_sum(of_slab.begin(), of_slab.end(), offsets.begin() + 1);
    columns.resize(offsets.back());
    values.resize(columns.size());
    SlabSink sink(rows, offsets, columns, values);
    fill_slab(source, rows, options.stop, sink);
    take(MatrixSlab{rows, first_nonzero, offsets, columns, values});
    first_nonzero += offsets.back();
    first = rows.last;
    if (options.progress) options.progress(static_cast<double>(first) / static_cast<double>(n));
  }
}

}  // namespace cisolve
