// SPDX-License-Identifier: MIT
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"
#include "sparse/row_kernels.hpp"

namespace cisolve {

template <class Scalar>
void require_spmv_shapes(std::int64_t num_rows, std::int64_t num_columns,
                         const BlockView<const Scalar, Memory::host>& x,
                         const BlockView<Scalar, Memory::host>& y) {
  if (x.rows != num_columns || y.rows != num_rows || x.columns != y.columns) {
    throw DimensionError(
        "spmv: x must have one row per matrix column, y one per matrix row, and both equally many columns");
  }
}

/// y = sum or y += sum, of one element.
inline void put(double sum, ProductUpdate update, double& y) {
  if (update == ProductUpdate::assign) [[likely]]
    y = sum;
  else
    y += sum;
}

/// The first row of thread `rank` of `count`: work_before(row), ascending, is shared out evenly.
template <class WorkBefore>
std::int64_t first_row_of(std::int64_t num_rows, int rank, int count, const WorkBefore& work_before) {
  const double share = static_cast<double>(work_before(num_rows)) * rank / count;
  std::int64_t low = 0;
  std::int64_t high = num_rows;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<double>(work_before(middle)) < share)
      low = middle + 1;
    else
      high = middle;
  }
  return rank == count ? num_rows : low;
}

/// Multiplications that one thread has done before others have begun: to wake them takes some 10 microseconds, and
/// much longer where they share their cores with other work.
inline constexpr std::int64_t least_shared_work = 16384;

/// Runs body(row) over all rows, each thread a contiguous share.
template <class WorkBefore, class Body>
void for_each_row(std::int64_t num_rows, const WorkBefore& work_before, const Body& body) {
  if (static_cast<std::int64_t>(work_before(num_rows)) < least_shared_work) {
    for (std::int64_t row = 0; row < num_rows; ++row) body(row);
    return;
  }
#pragma omp parallel
  {
    const int rank = omp_get_thread_num();
    const int count = omp_get_num_threads();
    const std::int64_t first = first_row_of(num_rows, rank, count, work_before);
    const std::int64_t last = first_row_of(num_rows, rank + 1, count, work_before);
    for (std::int64_t row = first; row < last; ++row) body(row);
  }
}

/// The columns of x packed [place][width]; those beyond its last are zero: one padded pass over a matrix is
/// cheaper than two narrow ones. A single column whose places are rows is given as it is.
/// @param order  row at each place; null: places are rows
template <std::size_t width>
const double* pack_columns(ConstHostView x, SpmvWorkspace& workspace, const std::int32_t* order) {
  if (width == 1 && order == nullptr) return x.data;
  const std::int64_t n = x.rows;
  const std::size_t used = x.columns;
  double* packed = workspace.packed_vectors(static_cast<std::size_t>(n) * width);
  const bool is_shared = n * static_cast<std::int64_t>(width) >= least_shared_work;
#pragma omp parallel for schedule(static) if (is_shared)
  for (std::int64_t place = 0; place < n; ++place) {
    const std::int64_t row = order == nullptr ? place : order[place];
    for (std::size_t k = 0; k < width; ++k) {
      packed[static_cast<std::size_t>(place) * width + k] =
          k < used ? x.column(static_cast<int>(k))[row] : 0.0;
    }
  }
  return packed;
}

/// Takes the columns of x and y in groups of 1, 2 or 4 and calls, for each group,
/// product(std::integral_constant<std::size_t, width>, packed x, columns of y).
/// @param order  of the packed rows, see pack_columns
template <class Product>
void for_each_column_group(ConstHostView x, HostView y, SpmvWorkspace& workspace, const Product& product,
                           const std::int32_t* order = nullptr) {
  for (int first = 0; first < x.columns;) {
    const int taken = std::min(x.columns - first, 4);
    const ConstHostView from = x.slice(first, taken);
    const HostView to = y.slice(first, taken);
    if (taken >= 3) {
      product(std::integral_constant<std::size_t, 4>{}, pack_columns<4>(from, workspace, order), to);
    } else if (taken == 2) {
      product(std::integral_constant<std::size_t, 2>{}, pack_columns<2>(from, workspace, order), to);
    } else {
      product(std::integral_constant<std::size_t, 1>{}, pack_columns<1>(from, workspace, order), to);
    }
    first += taken;
  }
}

/// y = A x or y += A x with all threads.
/// @param parts_of     the parts of row i, a range of RowPart
/// @param work_before  what the rows before row i cost, ascending in i = 0 .. n
template <class Parts, class WorkBefore>
void multiply_in_parallel(const Parts& parts_of, const WorkBefore& work_before, ConstHostView x, HostView y,
                          SpmvWorkspace& workspace, ProductUpdate update) {
  const RowKernels& kernels = row_kernels();
  for_each_column_group(x, y, workspace, [&]<class Width>(Width, const double* packed, HostView to) {
    constexpr std::size_t width = Width::value;
    const RowKernels::AddPart add_part = width == 1   ? kernels.add_1
                                         : width == 2 ? kernels.add_2
                                                      : kernels.add_4;
    for_each_row(y.rows, work_before, [&](std::int64_t row) {
      double sums[4] = {};
      for (const RowPart& part : parts_of(row)) add_part(part, packed, sums);
      if (update == ProductUpdate::assign) {
        for (int k = 0; k < to.columns; ++k) to.column(k)[row] = sums[k];
      } else {
        for (int k = 0; k < to.columns; ++k) to.column(k)[row] += sums[k];
      }
    });
  });
}

/// y = A x, one row and one column after the other, nonzeros in storage order.
template <class Parts>
void multiply_plainly(const Parts& parts_of, ConstHostView x, HostView y) {
  for (int k = 0; k < x.columns; ++k) {
    for (std::int64_t row = 0; row < y.rows; ++row) {
      double sum = 0.0;
      for (const RowPart& part : parts_of(row)) {
        for (std::size_t at = 0; at < part.size; ++at) {
          sum += part.values[at] * x.column(k)[part.columns[at]];
        }
      }
      y.column(k)[row] = sum;
    }
  }
}

}  // namespace cisolve
