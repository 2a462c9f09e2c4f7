// SPDX-License-Identifier: MIT
#include "cuda/sparse/csr_matrix.hpp"

#include "cuda/core/host_transfer.hpp"
#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

/// What the kernels see of the matrix.
struct CsrRows {
  struct Bounds {
    std::int64_t first;
    int length;
  };

  std::int64_t num_rows;
  const std::int64_t* __restrict__ offsets;
  const std::int32_t* __restrict__ columns;
  const double* __restrict__ values;

  __device__ Bounds bounds(std::int64_t row) const {
    if (row >= num_rows) return {0, 0};
    const std::int64_t first = __ldg(offsets + row);
    return {first, static_cast<int>(__ldg(offsets + row + 1) - first)};
  }

  template <int elements, class Visit>
  __device__ void for_each_part(std::int64_t, const Bounds& bounds, const Visit& visit) const {
    visit(unaligned_part<elements>(columns, values, bounds.first, bounds.length));
  }
};

CsrRows rows_of(const DeviceCsrMatrix& a) {
  return {a.num_rows, a.offsets.data(), a.columns.data(), a.values.data()};
}

constexpr int plain_block_size = 256;

__global__ void __launch_bounds__(plain_block_size) plain_kernel(CsrRows a, ConstDeviceView x, DeviceView y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * plain_block_size + threadIdx.x;
  if (row >= a.num_rows) return;
  double sum = 0.0;
  for (std::int64_t at = a.offsets[row]; at < a.offsets[row + 1]; ++at) {
    sum += a.values[at] * x.data[blockIdx.y * x.stride + a.columns[at]];
  }
  y.data[blockIdx.y * y.stride + row] = sum;
}

}  // namespace

DeviceCsrMatrix::DeviceCsrMatrix(std::int64_t rows, std::int64_t nonzeros, const Stream& stream)
    : num_rows(rows), num_nonzeros(nonzeros), offsets(rows + 1), columns(nonzeros + spare_elements),
      values(nonzeros + spare_elements) {
  check(cudaMemsetAsync(columns.data() + nonzeros, 0, spare_elements * sizeof(ColumnIndex), stream.get()));
  check(cudaMemsetAsync(values.data() + nonzeros, 0, spare_elements * sizeof(double), stream.get()));
}

DeviceCsrMatrix::DeviceCsrMatrix(const CsrMatrix& host, const Stream& stream)
    : DeviceCsrMatrix(host.num_rows, host.num_nonzeros(), stream) {
  HostTransfer transfer;
  upload<std::int64_t>(stream, transfer, host.offsets, offsets);
  upload<ColumnIndex>(stream, transfer, host.columns, columns);
  upload<double>(stream, transfer, host.values, values);
  transfer.finish();
}

std::int64_t real_bytes(const DeviceCsrMatrix& a) {
  return static_cast<std::int64_t>(a.offsets.size_bytes() + a.columns.size_bytes() + a.values.size_bytes());
}

void spmv(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config) {
  const double rows = static_cast<double>(std::max<std::int64_t>(a.num_rows, 1));
  multiply(stream, rows_of(a), x, y, workspace, resolve(config, static_cast<double>(a.num_nonzeros) / rows));
}

void spmv_plainly(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y) {
  require_spmv_shapes(a.num_rows, x, y);
  if (a.num_rows == 0 || x.columns == 0) return;
  const dim3 grid(static_cast<unsigned>((a.num_rows + plain_block_size - 1) / plain_block_size),
                  static_cast<unsigned>(x.columns));
  plain_kernel<<<grid, plain_block_size, 0, stream.get()>>>(rows_of(a), x, y);
  check(cudaGetLastError());
}

}  // namespace cisolve::cuda
