// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cisolve/core/error.hpp"
#include "cuda/sparse/spmv_config.hpp"

// How the products of all formats take blocks of vectors.
namespace cisolve::cuda {

/// Takes the columns of x and y in groups of 1, 2 or 4, three as four with one of zeros, since the time is that of
/// streaming the matrix; and calls for each product(std::integral_constant<int, width>, columns of x, columns of y).
/// @param at_once  most columns of a group: 1, 2 or 4
/// @throws DimensionError unless x has `num_columns` rows and y `num_rows`, and both equally many columns
template <class Product>
void for_each_column_group(std::int64_t num_rows, std::int64_t num_columns, ConstDeviceView x, DeviceView y,
                           const Product& product, int at_once = 4) {
  if (x.rows != num_columns || y.rows != num_rows || x.columns != y.columns) {
    throw DimensionError(
        "cuda::spmv: x must have one row per matrix column, y one per matrix row, and both equally many "
        "columns");
  }
  if (num_rows == 0) return;  // An empty grid is a launch error.
  for (int first = 0; first < x.columns;) {
    const int taken = std::min(x.columns - first, at_once);
    const ConstDeviceView from = x.slice(first, taken);
    const DeviceView to = y.slice(first, taken);
    if (taken == 1)
      product(std::integral_constant<int, 1>{}, from, to);
    else if (taken == 2)
      product(std::integral_constant<int, 2>{}, from, to);
    else
      product(std::integral_constant<int, 4>{}, from, to);
    first += taken;
  }
}

/// The columns of a group packed [row][width]; a single one as it is.
template <int width>
const double* packed_columns(const Stream& stream, ConstDeviceView x, SpmvWorkspace& workspace) {
  if constexpr (width == 1) return x.data;
  double* packed = workspace.packed_vectors(static_cast<std::size_t>(x.rows) * width);
  pack(stream, x, width, packed);
  return packed;
}

}  // namespace cisolve::cuda
