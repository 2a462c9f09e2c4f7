// SPDX-License-Identifier: MIT
#include "cuda/sparse/ell_matrix.hpp"

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

constexpr int block_size = 128;
constexpr int slots_in_flight = 4;  // loads of a turn are issued before the first is used

/// A thread per row; neighbouring threads read neighbouring slots. Without slice_offsets all rows are one slice, without
/// row_counts a row ends at its first pad.
/// @param num_slots  of all rows
template <int width, bool counted>
__global__ void __launch_bounds__(block_size)
    ell_kernel(BasicEllMatrix<Pointer> a, std::int64_t num_slots, const double* __restrict__ x,
               double* __restrict__ y, std::int64_t y_stride, int num_written, ProductUpdate update) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
  if (row >= a.num_rows) return;
  const std::int64_t slice = a.slice_offsets == nullptr ? 0 : row / a.slice_size;
  const std::int64_t first_row = slice * a.slice_size;
  const std::int64_t stride = min(a.slice_size, a.num_rows - first_row);
  const std::int64_t first = a.slice_offsets == nullptr ? 0 : __ldg(a.slice_offsets + slice);
  const std::int64_t last = a.slice_offsets == nullptr ? num_slots : __ldg(a.slice_offsets + slice + 1);
  const int end = counted ? __ldg(a.row_counts + row) : static_cast<int>((last - first) / stride);

  const std::int32_t* columns = a.columns + first + (row - first_row);
  const double* values = a.values + first + (row - first_row);
  double sums[width] = {};
  for (int k = 0; k < end; k += slots_in_flight) {
    Nonzeros<1> loaded[slots_in_flight];
#pragma unroll
    for (int u = 0; u < slots_in_flight; ++u) {
      loaded[u].columns[0] = padding_index;
      if (k + u < end) {
        loaded[u] = stream_load(columns + u * stride, values + u * stride, std::integral_constant<int, 1>{});
      }
    }
    columns += slots_in_flight * stride;
    values += slots_in_flight * stride;
    double xs[slots_in_flight][width];
#pragma unroll
    for (int u = 0; u < slots_in_flight; ++u) {
      if (loaded[u].columns[0] != padding_index) {
        gather<width>(x, loaded[u].columns[0], xs[u]);
      } else {
        loaded[u].values[0] = 0.0;
#pragma unroll
        for (int v = 0; v < width; ++v) xs[u][v] = 0.0;
      }
    }
#pragma unroll
    for (int u = 0; u < slots_in_flight; ++u) {
#pragma unroll
      for (int v = 0; v < width; ++v) sums[v] = fma(loaded[u].values[0], xs[u][v], sums[v]);
    }
    if (!counted && loaded[slots_in_flight - 1].columns[0] == padding_index) break;
  }
#pragma unroll
  for (int v = 0; v < width; ++v) {
    if (v < num_written) put(sums[v], update, y[v * y_stride + row]);
  }
}

}  // namespace

void spmv(const Stream& stream, const DeviceEllMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update) {
  const auto blocks = static_cast<unsigned>((a.num_rows + block_size - 1) / block_size);
  const auto num_slots =
      static_cast<std::int64_t>(std::max(a.columns.size(), spare_elements) - spare_elements);
  for_each_column_group(
      a.num_rows, a.num_columns, x, y, [&](auto group, ConstDeviceView from, DeviceView to) {
        constexpr int width = decltype(group)::value;
        const auto kernel = a.has_counts() ? ell_kernel<width, true> : ell_kernel<width, false>;
        Launch{stream, blocks, block_size}(kernel, pointers_to(a), num_slots,
                                           packed_columns<width>(stream, from, workspace), to.data, to.stride,
                                           to.columns, update);
      });
}

}  // namespace cisolve::cuda
