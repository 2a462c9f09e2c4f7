// SPDX-License-Identifier: MIT
#include "cuda/vectors/vector_kernels.hpp"

#include <algorithm>

namespace cisolve::cuda {
namespace {

constexpr int block_size = 256;
/// Enough blocks to fill any present device; the kernels stride over what is left.
constexpr std::int64_t max_blocks_per_column = 4096;

bool is_empty(std::int64_t rows, int columns) { return rows == 0 || columns == 0; }

/// One grid row per column of the block.
dim3 grid_of(std::int64_t rows, int columns) {
  const std::int64_t blocks = std::min((rows + block_size - 1) / block_size, max_blocks_per_column);
  return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(columns));
}

__device__ std::int64_t first_element() {
  return static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
}

__device__ std::int64_t grid_step() { return static_cast<std::int64_t>(gridDim.x) * block_size; }

__global__ void __launch_bounds__(block_size) fill_kernel(DeviceView y, double value) {
  double* column = y.data + blockIdx.y * y.stride;
  for (std::int64_t i = first_element(); i < y.rows; i += grid_step()) column[i] = value;
}

__global__ void __launch_bounds__(block_size) scale_kernel(DeviceView x, const double* __restrict__ factors) {
  double* column = x.data + blockIdx.y * x.stride;
  const double factor = factors[blockIdx.y];
  for (std::int64_t i = first_element(); i < x.rows; i += grid_step()) column[i] *= factor;
}

__global__ void __launch_bounds__(block_size)
    divide_kernel(const double* __restrict__ diagonal, const double* __restrict__ shifts, double floor,
                  DeviceView y) {
  double* column = y.data + blockIdx.y * y.stride;
  const double shift = shifts[blockIdx.y];
  for (std::int64_t i = first_element(); i < y.rows; i += grid_step()) {
    double denominator = shift - diagonal[i];
    if (fabs(denominator) < floor) denominator = copysign(floor, denominator);
    column[i] /= denominator;
  }
}

__global__ void __launch_bounds__(block_size)
    noise_kernel(LowLyingNoise noise, const double* __restrict__ diagonal, DeviceView y) {
  for (std::int64_t i = first_element(); i < y.rows; i += grid_step())
    y.data[i] = noise(i, y.rows, diagonal[i]);
}

/// Sum over the threads of a block, in a fixed order; the result is valid in thread 0.
__device__ double block_sum(double value) {
  __shared__ double warp_sums[block_size / 32];
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffU, value, distance);
  }
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0.0;
  if (threadIdx.x == 0) {
    for (const double warp_sum : warp_sums) sum += warp_sum;
  }
  return sum;
}

__global__ void __launch_bounds__(block_size)
    squares_kernel(ConstDeviceView x, double* __restrict__ partial) {
  const double* column = x.data + blockIdx.y * x.stride;
  double sum = 0.0;
  for (std::int64_t i = first_element(); i < x.rows; i += grid_step()) sum += column[i] * column[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

static_assert(norm_blocks == block_size, "one thread of the last kernel per block of the first");

__global__ void __launch_bounds__(block_size)
    roots_kernel(const double* __restrict__ partial, double* __restrict__ norms) {
  const double sum = block_sum(partial[blockIdx.x * norm_blocks + threadIdx.x]);
  if (threadIdx.x == 0) norms[blockIdx.x] = sqrt(sum);
}

__global__ void __launch_bounds__(block_size)
    gather_kernel(ConstDeviceView x, const std::int64_t* __restrict__ rows, std::int64_t count,
                  double* __restrict__ values) {
  const double* column = x.data + blockIdx.y * x.stride;
  for (std::int64_t i = first_element(); i < count; i += grid_step()) {
    values[blockIdx.y * count + i] = column[rows[i]];
  }
}

__global__ void __launch_bounds__(block_size)
    scatter_kernel(const double* __restrict__ values, const std::int64_t* __restrict__ rows,
                   std::int64_t count, DeviceView y) {
  double* column = y.data + blockIdx.y * y.stride;
  for (std::int64_t i = first_element(); i < count; i += grid_step()) {
    column[rows[i]] = values[blockIdx.y * count + i];
  }
}

}  // namespace

void launch_fill(const Stream& stream, DeviceView y, double value) {
  if (is_empty(y.rows, y.columns)) return;
  fill_kernel<<<grid_of(y.rows, y.columns), block_size, 0, stream.get()>>>(y, value);
  check(cudaGetLastError());
}

void launch_scale(const Stream& stream, DeviceView x, const double* factors) {
  if (is_empty(x.rows, x.columns)) return;
  scale_kernel<<<grid_of(x.rows, x.columns), block_size, 0, stream.get()>>>(x, factors);
  check(cudaGetLastError());
}

void launch_divide_by_shifted_diagonal(const Stream& stream, ConstDeviceView diagonal, const double* shifts,
                                       double floor, DeviceView y) {
  if (is_empty(y.rows, y.columns)) return;
  divide_kernel<<<grid_of(y.rows, y.columns), block_size, 0, stream.get()>>>(diagonal.data, shifts, floor, y);
  check(cudaGetLastError());
}

void launch_fill_with_noise(const Stream& stream, const LowLyingNoise& noise, ConstDeviceView diagonal,
                            DeviceView y) {
  if (y.rows == 0) return;
  noise_kernel<<<grid_of(y.rows, 1), block_size, 0, stream.get()>>>(noise, diagonal.data, y);
  check(cudaGetLastError());
}

void launch_norms(const Stream& stream, ConstDeviceView x, double* partial, double* norms) {
  if (x.columns == 0) return;
  const auto columns = static_cast<unsigned>(x.columns);
  squares_kernel<<<dim3(norm_blocks, columns), block_size, 0, stream.get()>>>(x, partial);
  check(cudaGetLastError());
  roots_kernel<<<columns, block_size, 0, stream.get()>>>(partial, norms);
  check(cudaGetLastError());
}

void launch_gather(const Stream& stream, ConstDeviceView x, const std::int64_t* rows, std::size_t count,
                   double* values) {
  const auto size = static_cast<std::int64_t>(count);
  if (is_empty(size, x.columns)) return;
  gather_kernel<<<grid_of(size, x.columns), block_size, 0, stream.get()>>>(x, rows, size, values);
  check(cudaGetLastError());
}

void launch_scatter(const Stream& stream, const double* values, const std::int64_t* rows, std::size_t count,
                    DeviceView y) {
  const auto size = static_cast<std::int64_t>(count);
  if (is_empty(size, y.columns)) return;
  scatter_kernel<<<grid_of(size, y.columns), block_size, 0, stream.get()>>>(values, rows, size, y);
  check(cudaGetLastError());
}

}  // namespace cisolve::cuda
