// SPDX-License-Identifier: MIT
#pragma once

// What product kernels other than row_kernel.cuh's share: how blocks of vectors are cut and read.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {

/// Takes the columns of x and y in groups of 1, 2 or 4, three as four with one of zeros, and calls for each
/// product(std::integral_constant<int, width>, x packed [row][width], columns of y).
/// @throws DimensionError unless x and y have `num_rows` rows and equally many columns
template <class Product>
void for_each_column_group(const Stream& stream, std::int64_t num_rows, ConstDeviceView x, DeviceView y,
                           SpmvWorkspace& workspace, const Product& product) {
  require_spmv_shapes(num_rows, x, y);
  if (num_rows == 0) return;  // An empty grid is a launch error.
  for (int first = 0; first < x.columns;) {
    const int taken = std::min(x.columns - first, 4);
    const ConstDeviceView from = x.slice(first, taken);
    const DeviceView to = y.slice(first, taken);
    if (taken == 1) {
      product(std::integral_constant<int, 1>{}, from.data, to);
    } else {
      const int width = taken == 2 ? 2 : 4;
      double* packed =
          workspace.packed_vectors(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(width));
      pack(stream, from, width, packed);
      if (width == 2)
        product(std::integral_constant<int, 2>{}, packed, to);
      else
        product(std::integral_constant<int, 4>{}, packed, to);
    }
    first += taken;
  }
}

}  // namespace cisolve::cuda
