// SPDX-License-Identifier: MIT
#include "cisolve/sparse/csb_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

std::int32_t resolved_block_size(std::int64_t num_columns, std::int32_t block_size) {
  if (block_size < 0 || block_size > largest_csb_block) {
    throw DimensionError("a CSB matrix needs a block size of 1 to " + std::to_string(largest_csb_block));
  }
  return block_size == 0 ? choose_csb_block(num_columns) : block_size;
}

std::int64_t blocks_along(std::int64_t side, std::int32_t block_size) {
  return (side + block_size - 1) / block_size;
}

/// Calls store(row, first of the row's block row in block_offsets) for every row; each block row is one
/// thread's. begin(block row) comes before its first row.
template <class Begin, class Store>
void for_each_block_row(const CsbMatrix& a, const RowSource& source, std::span<const std::int64_t> lengths,
                        BuildOptions options, const Begin& begin, const Store& store) {
  options.rows_per_chunk = a.block_size;
  for_each_chunk(a.num_rows, options, [&](RowRange range) {
    std::vector<std::int64_t> blocks(a.num_block_columns);
    const std::int64_t block_row = range.first / a.block_size;
    begin(block_row, blocks);
    const auto store_row = [&](const MatrixRow& row) { store(row, blocks); };
    CheckedSink sink(range, lengths, a.num_columns, store_row);
    source.fill(range, sink);
    sink.finish();
  });
}

/// The first pass: block_offsets.
void count_blocks(CsbMatrix& a, const RowSource& source, std::span<const std::int64_t> lengths,
                  const BuildOptions& options) {
  const std::size_t size = a.num_block_rows * a.num_block_columns + 1;
  a.block_offsets = Array<std::int64_t>(size);
  a.block_offsets[0] = 0;
  const std::int64_t rows_per_pass = a.block_size;
  const auto nothing = [](std::int64_t, std::vector<std::int64_t>&) {};
  const auto count = [&](const MatrixRow& row, std::vector<std::int64_t>& counts) {
    for (const ColumnIndex column : row.columns) ++counts[column / a.block_size];
    const bool is_last = row.index + 1 == a.num_rows || (row.index + 1) % rows_per_pass == 0;
    if (is_last) {
      const std::int64_t first = row.index / rows_per_pass * a.num_block_columns;
      std::copy(counts.begin(), counts.end(), a.block_offsets.begin() + first + 1);
    }
  };
  for_each_block_row(a, source, lengths, options, nothing, count);
  std::partial_sum(a.block_offsets.begin(), a.block_offsets.end(), a.block_offsets.begin());
}

/// The second pass: the nonzeros, each block row with a cursor per block.
void fill_blocks(CsbMatrix& a, const RowSource& source, std::span<const std::int64_t> lengths,
                 const BuildOptions& options) {
  const auto begin = [&](std::int64_t block_row, std::vector<std::int64_t>& cursors) {
    std::copy_n(a.block_offsets.begin() + block_row * a.num_block_columns, a.num_block_columns,
                cursors.begin());
  };
  const auto store = [&](const MatrixRow& row, std::vector<std::int64_t>& cursors) {
    const std::int64_t* ends = a.block_offsets.data() + row.index / a.block_size * a.num_block_columns + 1;
    const auto local_row = static_cast<std::uint16_t>(row.index % a.block_size);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const std::size_t block = row.columns[k] / a.block_size;
      if (cursors[block] >= ends[block]) throw DimensionError("row source: a row changed between passes");
      const std::size_t at = cursors[block]++;
      a.row_indices[at] = local_row;
      a.column_indices[at] = static_cast<std::uint16_t>(row.columns[k] % a.block_size);
      a.values[at] = row.values[k];
    }
  };
  for_each_block_row(a, source, lengths, options, begin, store);
}

/// Adds the products of one block with `width` packed vectors to its rows of y. Nonzeros of a row follow
/// each other, so their sum stays in registers.
template <std::size_t width>
void add_block(const CsbMatrix& a, std::size_t block, std::int64_t first_row, const double* packed,
               std::int64_t first_column, HostView y) {
  const std::size_t last = a.block_offsets[block + 1];
  const double* x = packed + static_cast<std::size_t>(first_column) * width;
  for (std::size_t at = a.block_offsets[block]; at < last;) {
    const std::uint16_t row = a.row_indices[at];
    std::array<double, width> sums{};
    for (; at < last && a.row_indices[at] == row; ++at) {
      const double* from = x + a.column_indices[at] * width;
      for (std::size_t k = 0; k < width; ++k) sums[k] += a.values[at] * from[k];
    }
    for (int k = 0; k < y.columns; ++k) y.column(k)[first_row + row] += sums[k];
  }
}

}  // namespace

std::int32_t choose_csb_block(std::int64_t num_columns) {
  constexpr std::int32_t smallest = 16;
  std::int64_t size = smallest;
  while (size < largest_csb_block && 4 * size * size <= num_columns) size *= 2;
  return static_cast<std::int32_t>(size);
}

CsbMatrix build_csb(const RowSource& source, std::span<const std::int64_t> lengths, std::int32_t block_size,
                    const BuildOptions& options) {
  CsbMatrix a;
  a.num_rows = checked_rows(source, lengths, "build_csb");
  a.num_columns = source.num_columns();
  a.block_size = resolved_block_size(a.num_columns, block_size);
  a.num_block_rows = blocks_along(a.num_rows, a.block_size);
  a.num_block_columns = blocks_along(a.num_columns, a.block_size);
  count_blocks(a, source, lengths, options_of_pass(options, 0.0, 0.5));
  a.nonzeros = a.block_offsets[a.block_offsets.size() - 1];
  a.row_indices = Array<std::uint16_t>(a.nonzeros);
  a.column_indices = Array<std::uint16_t>(a.nonzeros);
  a.values = Array<double>(a.nonzeros);
  fill_blocks(a, source, lengths, options_of_pass(options, 0.5, 1.0));
  return a;
}

std::int64_t csb_matrix_bytes(std::span<const std::int64_t> lengths, std::int32_t block_size,
                              std::optional<std::int64_t> num_columns) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const std::int64_t columns = num_columns.value_or(rows);
  const std::int32_t size = resolved_block_size(columns, block_size);
  const std::int64_t blocks = blocks_along(rows, size) * blocks_along(columns, size);
  return 12 * std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) + 8 * (blocks + 1);
}

void spmv(const CsbMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  for (int k = 0; k < x.columns; ++k) {
    std::fill_n(y.column(k), a.num_rows, 0.0);
    for (std::int64_t block = 0; block < a.num_block_rows * a.num_block_columns; ++block) {
      const std::int64_t first_row = block / a.num_block_columns * a.block_size;
      const std::int64_t first_column = block % a.num_block_columns * a.block_size;
      for (std::size_t at = a.block_offsets[block]; at < static_cast<std::size_t>(a.block_offsets[block + 1]);
           ++at) {
        y.column(k)[first_row + a.row_indices[at]] +=
            a.values[at] * x.column(k)[first_column + a.column_indices[at]];
      }
    }
  }
}

void spmv(const CsbMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace, ProductUpdate update) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  if (a.num_rows == 0) return;
  const auto work_before = [&a](std::int64_t block_row) {
    return a.block_offsets[block_row * a.num_block_columns] + block_row;
  };
  for_each_column_group(x, y, workspace, [&]<class Width>(Width, const double* packed, HostView to) {
    for_each_row(a.num_block_rows, work_before, [&](std::int64_t block_row) {
      const std::int64_t first_row = block_row * a.block_size;
      const std::int64_t rows = std::min<std::int64_t>(a.block_size, a.num_rows - first_row);
      if (update == ProductUpdate::assign) {
        for (int k = 0; k < to.columns; ++k) std::fill_n(to.column(k) + first_row, rows, 0.0);
      }
      for (std::int64_t j = 0; j < a.num_block_columns; ++j) {
        add_block<Width::value>(a, static_cast<std::size_t>(block_row * a.num_block_columns + j), first_row,
                                packed, j * a.block_size, to);
      }
    });
  });
}

}  // namespace cisolve
