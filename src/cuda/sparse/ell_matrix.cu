// SPDX-License-Identifier: MIT
#include "cuda/sparse/ell_matrix.hpp"

#include "cuda/core/host_transfer.hpp"
#include "cuda/sparse/column_groups.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
struct EllRows {
  std::int64_t num_rows;
  std::int64_t slice_size;
  std::int64_t num_slots;
  const std::int64_t* __restrict__ slice_offsets;  ///< null: one slice
  const std::int32_t* __restrict__ row_counts;     ///< null: a row ends at its first pad
  const std::int32_t* __restrict__ columns;
  const double* __restrict__ values;
};

constexpr int block_size = 128;
constexpr int slots_in_flight = 4;  // loads of a turn are issued before the first is used

/// A thread per row; neighbouring threads read neighbouring slots.
template <int width, bool counted>
__global__ void __launch_bounds__(block_size)
    ell_kernel(EllRows a, const double* __restrict__ x, double* __restrict__ y, std::int64_t y_stride,
               int num_written) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
  if (row >= a.num_rows) return;
  const std::int64_t slice = a.slice_offsets == nullptr ? 0 : row / a.slice_size;
  const std::int64_t first_row = slice * a.slice_size;
  const std::int64_t stride = min(a.slice_size, a.num_rows - first_row);
  const std::int64_t first = a.slice_offsets == nullptr ? 0 : __ldg(a.slice_offsets + slice);
  const std::int64_t last = a.slice_offsets == nullptr ? a.num_slots : __ldg(a.slice_offsets + slice + 1);
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
    if (v < num_written) y[v * y_stride + row] = sums[v];
  }
}

}  // namespace

DeviceEllMatrix::DeviceEllMatrix(const EllMatrix& host, const Stream& stream)
    : num_rows(host.num_rows), slice_size(host.slice_size), slice_offsets(host.slice_offsets.size()),
      row_counts(host.row_counts.size()), columns(host.columns.size()), values(host.values.size()) {
  HostTransfer transfer;
  upload<std::int64_t>(stream, transfer, host.slice_offsets, slice_offsets);
  upload<std::int32_t>(stream, transfer, host.row_counts, row_counts);
  upload<ColumnIndex>(stream, transfer, host.columns, columns);
  upload<double>(stream, transfer, host.values, values);
  transfer.finish();
}

std::int64_t real_bytes(const DeviceEllMatrix& a) {
  return static_cast<std::int64_t>(a.slice_offsets.size_bytes() + a.row_counts.size_bytes() +
                                   a.columns.size_bytes() + a.values.size_bytes());
}

void spmv(const Stream& stream, const DeviceEllMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace) {
  const EllRows rows{a.num_rows,
                     a.slice_size,
                     static_cast<std::int64_t>(a.columns.size()),
                     a.slice_offsets.data(),
                     a.row_counts.data(),
                     a.columns.data(),
                     a.values.data()};
  const auto blocks = static_cast<unsigned>((a.num_rows + block_size - 1) / block_size);
  const auto multiply_group = [&](auto group, const double* packed, DeviceView to) {
    constexpr int width = decltype(group)::value;
    if (a.row_counts.size() > 0) {
      ell_kernel<width, true>
          <<<blocks, block_size, 0, stream.get()>>>(rows, packed, to.data, to.stride, to.columns);
    } else {
      ell_kernel<width, false>
          <<<blocks, block_size, 0, stream.get()>>>(rows, packed, to.data, to.stride, to.columns);
    }
    check(cudaGetLastError());
  };
  for_each_column_group(stream, a.num_rows, x, y, workspace, multiply_group);
}

}  // namespace cisolve::cuda
