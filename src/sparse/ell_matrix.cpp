// SPDX-License-Identifier: MIT
#include "cisolve/sparse/ell_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

/// Rows of a slice in the shape asked for; ELL is one slice.
std::int64_t slice_size_of(std::int64_t num_rows, const EllShape& shape) {
  if (shape.slice_size < 0) throw DimensionError("an ELL matrix needs slice_size >= 0");
  return shape.slice_size == 0 ? std::max<std::int64_t>(num_rows, 1) : shape.slice_size;
}

/// First slot of every slice, and after the last the number of all.
std::vector<std::int64_t> offsets_of(std::span<const std::int64_t> lengths, std::int64_t slice_size) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t first = 0; first < rows; first += slice_size) {
    const std::int64_t size = std::min(slice_size, rows - first);
    const auto slice = lengths.subspan(first, size);
    offsets.push_back(offsets.back() + *std::max_element(slice.begin(), slice.end()) * size);
  }
  return offsets;
}

/// Where the slots of a row are: `first`, and the next every `stride`, `width` of them.
struct RowSlots {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t width = 0;
};

RowSlots slots_of(const EllMatrix& a, std::int64_t row) {
  const std::int64_t slice = row / a.slice_size;
  const std::int64_t first_row = slice * a.slice_size;
  const std::int64_t stride = std::min(a.slice_size, a.num_rows - first_row);
  const bool sliced = a.slice_offsets.size() > 0;
  const std::int64_t first = sliced ? a.slice_offsets[slice] : 0;
  const std::int64_t last = sliced ? a.slice_offsets[slice + 1] : a.num_slots();
  return {first + row - first_row, stride, (last - first) / stride};
}

void store_row(EllMatrix& a, const MatrixRow& row) {
  const RowSlots slots = slots_of(a, row.index);
  const auto length = static_cast<std::int64_t>(row.columns.size());
  ColumnIndex* columns = a.columns.data() + slots.first;
  double* values = a.values.data() + slots.first;
  for (std::int64_t k = 0; k < slots.width; ++k) {
    columns[k * slots.stride] = k < length ? row.columns[k] : padding_index;
    values[k * slots.stride] = k < length ? row.values[k] : 0.0;
  }
}

constexpr std::int64_t rows_per_group = 32;

/// Products of up to 32 neighbouring rows of one slice with `width` packed vectors, lane = row, so that
/// slots are read as they lie. Sums run over k = 0, 1, ...
template <std::size_t width>
void multiply_group(const EllMatrix& a, std::int64_t first_row, std::int64_t num_lanes, const double* packed,
                    HostView y, ProductUpdate update) {
  const RowSlots slots = slots_of(a, first_row);
  std::int64_t end = slots.width;
  if (a.has_counts()) {
    const std::int32_t* counts = a.row_counts.data() + first_row;
    end = *std::max_element(counts, counts + num_lanes);
  }
  std::array<std::array<double, rows_per_group>, width> sums{};
  for (std::int64_t k = 0; k < end; ++k) {
    const ColumnIndex* columns = a.columns.data() + slots.first + k * slots.stride;
    const double* values = a.values.data() + slots.first + k * slots.stride;
    ColumnIndex largest = padding_index;
    for (std::int64_t lane = 0; lane < num_lanes; ++lane) largest = std::max(largest, columns[lane]);
    if (largest == padding_index) break;  // Rows are filled from the front: all have ended.
    for (std::size_t v = 0; v < width; ++v) {
      // Not a branch around the load, so that it can be a vector gather: a pad looks at element 0.
#pragma omp simd
      for (std::int64_t lane = 0; lane < num_lanes; ++lane) {
        const auto at = static_cast<std::size_t>(std::max<ColumnIndex>(columns[lane], 0)) * width + v;
        const double product = values[lane] * packed[at];
        sums[v][lane] += columns[lane] == padding_index ? 0.0 : product;
      }
    }
  }
  for (int v = 0; v < y.columns; ++v) {
    double* to = y.column(v) + first_row;
    for (std::int64_t lane = 0; lane < num_lanes; ++lane)
      put(sums[static_cast<std::size_t>(v)][static_cast<std::size_t>(lane)], update, to[lane]);
  }
}

}  // namespace

EllMatrix build_ell(const RowSource& source, std::span<const std::int64_t> lengths, const EllShape& shape,
                    const BuildOptions& options) {
  EllMatrix a;
  a.num_rows = checked_rows(source, lengths, "build_ell");
  a.num_columns = source.num_columns();
  a.slice_size = slice_size_of(a.num_rows, shape);
  a.nonzeros = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const std::vector<std::int64_t> offsets = offsets_of(lengths, a.slice_size);
  if (shape.slice_size > 0) {
    a.slice_offsets = Array<std::int64_t>(offsets.size());
    std::copy(offsets.begin(), offsets.end(), a.slice_offsets.begin());
  }
  if (shape.row_counts) {
    a.row_counts = Array<std::int32_t>(lengths.size());
    std::transform(lengths.begin(), lengths.end(), a.row_counts.begin(),
                   [](std::int64_t length) { return static_cast<std::int32_t>(length); });
  }
  a.columns = Array<ColumnIndex>(offsets.back());
  a.values = Array<double>(offsets.back());
  fill_rows(source, lengths, options, [&](const MatrixRow& row) { store_row(a, row); });
  return a;
}

std::int64_t ell_matrix_bytes(std::span<const std::int64_t> lengths, const EllShape& shape) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const std::vector<std::int64_t> offsets = offsets_of(lengths, slice_size_of(rows, shape));
  return 12 * offsets.back() + (shape.slice_size > 0 ? 8 * std::ssize(offsets) : 0) +
         (shape.row_counts ? 4 * rows : 0);
}

void spmv(const EllMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  for (int v = 0; v < x.columns; ++v) {
    for (std::int64_t row = 0; row < a.num_rows; ++row) {
      const RowSlots slots = slots_of(a, row);
      const std::int64_t end = a.has_counts() ? a.row_counts[row] : slots.width;
      double sum = 0.0;
      for (std::int64_t k = 0; k < end; ++k) {
        const std::size_t at = slots.first + k * slots.stride;
        if (a.columns[at] == padding_index) break;
        sum += a.values[at] * x.column(v)[a.columns[at]];
      }
      y.column(v)[row] = sum;
    }
  }
}

void spmv(const EllMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace, ProductUpdate update) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  if (a.num_rows == 0) return;
  // Groups do not cross slices.
  const std::int64_t groups_per_slice = (a.slice_size + rows_per_group - 1) / rows_per_group;
  const std::int64_t num_slices = (a.num_rows + a.slice_size - 1) / a.slice_size;
  const auto first_row_of_group = [&](std::int64_t group) {
    const std::int64_t in_slice = group % groups_per_slice * rows_per_group;
    return std::min(group / groups_per_slice * a.slice_size + in_slice, a.num_rows);
  };
  const auto work_before = [&](std::int64_t group) {
    const std::int64_t row = first_row_of_group(group);
    if (row == a.num_rows) return a.num_slots() + group;
    const RowSlots slots = slots_of(a, row);
    return slots.first + (slots.width - 1) * (row % a.slice_size) + group;
  };
  for_each_column_group(x, y, workspace, [&]<class Width>(Width, const double* packed, HostView to) {
    for_each_row(num_slices * groups_per_slice, work_before, [&](std::int64_t group) {
      const std::int64_t first = first_row_of_group(group);
      const std::int64_t slice_end = (group / groups_per_slice + 1) * a.slice_size;
      const std::int64_t lanes = std::min({rows_per_group, slice_end - first, a.num_rows - first});
      if (lanes > 0) multiply_group<Width::value>(a, first, lanes, packed, to, update);
    });
  });
}

}  // namespace cisolve
