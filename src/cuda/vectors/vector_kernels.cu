// SPDX-License-Identifier: MIT
#include "cuda/vectors/vector_kernels.hpp"

#include <algorithm>

#include "cuda/core/launch.cuh"
#include "cuda/core/sums.cuh"

namespace cisolve::cuda {
namespace {

constexpr int block_size = 256;
/// Enough blocks to fill any present device; the kernels stride over what is left.
constexpr std::int64_t max_blocks_per_column = 4096;

/// One grid row per column of the block.
Launch over(const Stream& stream, std::int64_t rows, int columns,
            std::source_location where = std::source_location::current()) {
  const std::int64_t blocks = std::min((rows + block_size - 1) / block_size, max_blocks_per_column);
  return {stream, dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(columns)), block_size, 0, where};
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
    noise_kernel(LowLyingNoise noise, const double* __restrict__ diagonal, DeviceView y,
                 const RowMap::Slab* __restrict__ slabs, std::size_t count, std::int64_t rows) {
  for (std::int64_t i = first_element(); i < y.rows; i += grid_step()) {
    std::size_t slab = 0;  // the last that begins at i or before
    for (std::size_t left = count; left > 1;) {
      const std::size_t half = left / 2;
      if (slabs[slab + half].first_local <= i) slab += half;
      left -= half;
    }
    y.data[i] = noise(slabs[slab].first_row + (i - slabs[slab].first_local), rows, diagonal[i]);
  }
}

__global__ void __launch_bounds__(block_size)
    squares_kernel(ConstDeviceView x, double* __restrict__ partial) {
  const double* column = x.data + blockIdx.y * x.stride;
  double sum = 0.0;
  for (std::int64_t i = first_element(); i < x.rows; i += grid_step()) sum += column[i] * column[i];
  sum = block_sum<block_size>(sum);
  if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

static_assert(norm_blocks == block_size, "one thread of the last kernel per block of the first");

__global__ void __launch_bounds__(block_size)
    roots_kernel(const double* __restrict__ partial, double* __restrict__ norms) {
  const double sum = block_sum<block_size>(partial[blockIdx.x * norm_blocks + threadIdx.x]);
  if (threadIdx.x == 0) norms[blockIdx.x] = sqrt(sum);
}

/// Some columns of a in each row of the grid, all of b.
template <int left, int right>
__global__ void __launch_bounds__(block_size)
    gram_kernel(ConstDeviceView a, ConstDeviceView b, double* __restrict__ partial) {
  const int first = static_cast<int>(blockIdx.y) * left;
  const int count = min(left, a.columns - first);
  const double* __restrict__ columns = a.data + first * a.stride;
  double sums[left][right] = {};
  for (std::int64_t row = first_element(); row < a.rows; row += grid_step()) {
    double factors[right];
#pragma unroll
    for (int j = 0; j < right; ++j) factors[j] = b.data[j * b.stride + row];
#pragma unroll
    for (int i = 0; i < left; ++i) {
      if (i >= count) continue;
      const double element = columns[i * a.stride + row];
#pragma unroll
      for (int j = 0; j < right; ++j) sums[i][j] += element * factors[j];
    }
  }
  __shared__ double warp_sums[left][right][block_size / 32];
#pragma unroll
  for (int i = 0; i < left; ++i) {
#pragma unroll
    for (int j = 0; j < right; ++j) {
      const double sum = warp_sum(sums[i][j]);
      if (threadIdx.x % 32 == 0) warp_sums[i][j][threadIdx.x / 32] = sum;
    }
  }
  __syncthreads();
  const int i = static_cast<int>(threadIdx.x) / right;
  const int j = static_cast<int>(threadIdx.x) % right;
  if (i >= count) return;
  double sum = 0.0;
  for (const double of_warp : warp_sums[i][j]) sum += of_warp;
  partial[(std::int64_t{j} * a.columns + first + i) * gram_blocks + blockIdx.x] = sum;
}

__global__ void __launch_bounds__(block_size)
    gram_sum_kernel(const double* __restrict__ partial, double* __restrict__ result) {
  double sum = 0.0;
  for (int k = static_cast<int>(threadIdx.x); k < gram_blocks; k += block_size)
    sum += partial[std::int64_t{blockIdx.x} * gram_blocks + k];
  sum = block_sum<block_size>(sum);
  if (threadIdx.x == 0) result[blockIdx.x] = sum;
}

template <int left, int right>
void launch_gram_kernel(const Stream& stream, ConstDeviceView a, ConstDeviceView b, double* partial) {
  const dim3 grid(gram_blocks, static_cast<unsigned>((a.columns + left - 1) / left));
  Launch{stream, grid, block_size}(gram_kernel<left, right>, a, b, partial);
}

template <int columns>
__global__ void __launch_bounds__(block_size)
    combine_kernel(ConstDeviceView a, const double* __restrict__ s, double beta, DeviceView y) {
  for (std::int64_t row = first_element(); row < y.rows; row += grid_step()) {
    double sums[columns] = {};
#pragma unroll 8
    for (int i = 0; i < a.columns; ++i) {
      const double element = a.data[i * a.stride + row];
#pragma unroll
      for (int j = 0; j < columns; ++j) sums[j] += element * s[j * a.columns + i];
    }
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      double* to = y.data + j * y.stride + row;
      *to = beta == 0.0 ? sums[j] : sums[j] + beta * *to;
    }
  }
}

__global__ void __launch_bounds__(block_size) lowest_kernel(ConstDeviceView x, double* __restrict__ lowest) {
  const std::int64_t first = std::int64_t{blockIdx.x} * lowest_piece;
  double value = INFINITY;
  for (std::int64_t i = first + threadIdx.x; i < min(first + lowest_piece, x.rows); i += block_size)
    value = fmin(value, x.data[i]);
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmin(value, __shfl_down_sync(0xffffffffU, value, distance));
  __shared__ double of_warps[block_size / 32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (const double of_warp : of_warps) value = fmin(value, of_warp);
  lowest[blockIdx.x] = value;
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
  over(stream, y.rows, y.columns)(fill_kernel, y, value);
}

void launch_scale(const Stream& stream, DeviceView x, const double* factors) {
  over(stream, x.rows, x.columns)(scale_kernel, x, factors);
}

void launch_divide_by_shifted_diagonal(const Stream& stream, ConstDeviceView diagonal, const double* shifts,
                                       double floor, DeviceView y) {
  over(stream, y.rows, y.columns)(divide_kernel, diagonal.data, shifts, floor, y);
}

void launch_fill_with_noise(const Stream& stream, const LowLyingNoise& noise, ConstDeviceView diagonal,
                            DeviceView y, const RowMap::Slab* slabs, std::size_t count, std::int64_t rows) {
  over(stream, y.rows, 1)(noise_kernel, noise, diagonal.data, y, slabs, count, rows);
}

void launch_norms(const Stream& stream, ConstDeviceView x, double* partial, double* norms) {
  const auto columns = static_cast<unsigned>(x.columns);
  Launch{stream, dim3(norm_blocks, columns), block_size}(squares_kernel, x, partial);
  Launch{stream, columns, block_size}(roots_kernel, partial, norms);
}

void launch_gram(const Stream& stream, ConstDeviceView a, ConstDeviceView b, double* partial,
                 double* result) {
  constexpr int few = 4, many = 8;  // columns of a for one reading of b
  const bool is_wide = a.columns > few;
  if (b.columns == 1)
    (is_wide ? launch_gram_kernel<many, 1> : launch_gram_kernel<few, 1>)(stream, a, b, partial);
  else
    (is_wide ? launch_gram_kernel<many, 2> : launch_gram_kernel<few, 2>)(stream, a, b, partial);
  Launch{stream, static_cast<unsigned>(a.columns * b.columns), block_size}(gram_sum_kernel, partial, result);
}

void launch_combine(const Stream& stream, ConstDeviceView a, const double* s, double beta, DeviceView y) {
  constexpr int most = 4;  // columns of y for one reading of a
  for (int first = 0; first < y.columns; first += most) {
    const int count = std::min(most, y.columns - first);
    const auto kernel = count == 1   ? combine_kernel<1>
                        : count == 2 ? combine_kernel<2>
                        : count == 3 ? combine_kernel<3>
                                     : combine_kernel<4>;
    over(stream, y.rows, 1)(kernel, a, s + std::int64_t{first} * a.columns, beta, y.slice(first, count));
  }
}

void launch_lowest_of_pieces(const Stream& stream, ConstDeviceView x, double* lowest) {
  const auto pieces = static_cast<unsigned>((x.rows + lowest_piece - 1) / lowest_piece);
  Launch{stream, pieces, block_size}(lowest_kernel, x, lowest);
}

void launch_gather(const Stream& stream, ConstDeviceView x, const std::int64_t* rows, std::size_t count,
                   double* values) {
  const auto size = static_cast<std::int64_t>(count);
  over(stream, size, x.columns)(gather_kernel, x, rows, size, values);
}

void launch_scatter(const Stream& stream, const double* values, const std::int64_t* rows, std::size_t count,
                    DeviceView y) {
  const auto size = static_cast<std::int64_t>(count);
  over(stream, size, y.columns)(scatter_kernel, values, rows, size, y);
}

}  // namespace cisolve::cuda
