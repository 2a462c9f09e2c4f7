// SPDX-License-Identifier: MIT
#include "cuda/sparse/hybrid_matrix.hpp"

#include "cuda/core/host_transfer.hpp"
#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
struct HybridRows {
  struct Bounds {
    std::int64_t tail_first;
    int count;
  };

  std::int64_t num_rows;
  std::int32_t ell_width;
  std::int32_t ell_stride;
  const std::int32_t* __restrict__ ell_columns;
  const double* __restrict__ ell_values;
  const std::int32_t* __restrict__ row_counts;
  const std::int32_t* __restrict__ ell_counts;  ///< null: min(row_counts, ell_width)
  const std::int64_t* __restrict__ tail_offsets;
  const std::int32_t* __restrict__ tail_columns;
  const double* __restrict__ tail_values;

  __device__ Bounds bounds(std::int64_t row) const {
    if (row >= num_rows) return {0, 0};
    return {__ldg(tail_offsets + row), __ldg(row_counts + row)};
  }

  template <int elements, class Visit>
  __device__ void for_each_part(std::int64_t row, const Bounds& bounds, const Visit& visit) const {
    const std::int64_t ell = row * ell_stride;
    int in_ell = min(bounds.count, ell_width);
    if (ell_counts != nullptr && row < num_rows) in_ell = __ldg(ell_counts + row);
    visit(DevicePart{ell_columns + ell, ell_values + ell, 0, in_ell});
    if (bounds.count > in_ell) {
      visit(unaligned_part<elements>(tail_columns, tail_values, bounds.tail_first, bounds.count - in_ell));
    }
  }
};

HybridRows rows_of(const DeviceHybridMatrix& a) {
  return {a.num_rows,           a.ell_width,           a.ell_stride,
          a.ell_columns.data(), a.ell_values.data(),   a.row_counts.data(),
          a.ell_counts.data(),  a.tail_offsets.data(), a.tail_columns.data(),
          a.tail_values.data()};
}

constexpr int plain_block_size = 256;

__global__ void __launch_bounds__(plain_block_size)
    plain_kernel(HybridRows a, ConstDeviceView x, DeviceView y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * plain_block_size + threadIdx.x;
  if (row >= a.num_rows) return;
  const double* column = x.data + blockIdx.y * x.stride;
  double sum = 0.0;
  for (std::int64_t slot = 0; slot < a.ell_width; ++slot) {
    const std::int64_t at = row * a.ell_stride + slot;
    if (a.ell_columns[at] == padding_index) break;  // Slots are filled from the front.
    sum += a.ell_values[at] * column[a.ell_columns[at]];
  }
  for (std::int64_t at = a.tail_offsets[row]; at < a.tail_offsets[row + 1]; ++at) {
    sum += a.tail_values[at] * column[a.tail_columns[at]];
  }
  y.data[blockIdx.y * y.stride + row] = sum;
}

}  // namespace

DeviceHybridMatrix::DeviceHybridMatrix(std::int64_t rows, std::int32_t width, std::int64_t nonzeros,
                                       std::int64_t tail_nonzeros, const Stream& stream)
    : num_rows(rows), ell_width(width), ell_stride(ell_stride_of(width)), num_nonzeros(nonzeros),
      num_tail_nonzeros(tail_nonzeros),
      ell_columns(static_cast<std::size_t>(rows) * static_cast<std::size_t>(ell_stride)),
      ell_values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(ell_stride)), row_counts(rows),
      tail_offsets(rows + 1), tail_columns(tail_nonzeros + spare_elements),
      tail_values(tail_nonzeros + spare_elements) {
  check(cudaMemsetAsync(tail_columns.data() + tail_nonzeros, 0, spare_elements * sizeof(ColumnIndex),
                        stream.get()));
  check(
      cudaMemsetAsync(tail_values.data() + tail_nonzeros, 0, spare_elements * sizeof(double), stream.get()));
}

DeviceHybridMatrix::DeviceHybridMatrix(const HybridMatrix& host, const Stream& stream)
    : DeviceHybridMatrix(host.num_rows, host.ell_width, host.num_nonzeros(), host.num_tail_nonzeros(),
                         stream) {
  HostTransfer transfer;
  ell_counts = DeviceArray<std::int32_t>(host.ell_counts.size());
  upload<std::int32_t>(stream, transfer, host.ell_counts, ell_counts);
  upload<ColumnIndex>(stream, transfer, host.ell_columns, ell_columns);
  upload<double>(stream, transfer, host.ell_values, ell_values);
  upload<std::int32_t>(stream, transfer, host.row_counts, row_counts);
  upload<std::int64_t>(stream, transfer, host.tail_offsets, tail_offsets);
  upload<ColumnIndex>(stream, transfer, host.tail_columns, tail_columns);
  upload<double>(stream, transfer, host.tail_values, tail_values);
  transfer.finish();
}

std::int64_t real_bytes(const DeviceHybridMatrix& a) {
  return static_cast<std::int64_t>(a.ell_columns.size_bytes() + a.ell_values.size_bytes() +
                                   a.row_counts.size_bytes() + a.ell_counts.size_bytes() +
                                   a.tail_offsets.size_bytes() + a.tail_columns.size_bytes() +
                                   a.tail_values.size_bytes());
}

void spmv(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config) {
  const double rows = static_cast<double>(std::max<std::int64_t>(a.num_rows, 1));
  multiply(stream, rows_of(a), x, y, workspace, resolve(config, static_cast<double>(a.num_nonzeros) / rows));
}

void spmv_plainly(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y) {
  require_spmv_shapes(a.num_rows, x, y);
  if (a.num_rows == 0 || x.columns == 0) return;
  const dim3 grid(static_cast<unsigned>((a.num_rows + plain_block_size - 1) / plain_block_size),
                  static_cast<unsigned>(x.columns));
  plain_kernel<<<grid, plain_block_size, 0, stream.get()>>>(rows_of(a), x, y);
  check(cudaGetLastError());
}

}  // namespace cisolve::cuda
