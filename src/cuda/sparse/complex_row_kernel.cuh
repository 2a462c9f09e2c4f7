// SPDX-License-Identifier: MIT
#pragma once

// The product kernel of complex and quaternion matrices in the row-wise formats: a warp per row, a nonzero per lane, sums by
// shuffles. The value of a nonzero is one or two loads of 16 bytes that leave L1 to x. For the rest, row_kernel.cuh.

#include <cstdint>
#include <type_traits>

#include "cisolve/core/quaternion.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/sparse/column_groups.hpp"
#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {

/// Real numbers of an element of a complex vector, and of those that belong to one row of a quaternion matrix.
template <class Scalar>
inline constexpr int numbers_per_row = std::is_same_v<Scalar, Quaternion> ? 4 : 2;

/// sum += (real, imaginary) (x[0], x[width]): one complex product.
template <int width>
__device__ void add_complex_product(double real, double imaginary, const double* x, double* sum) {
  sum[0] = fma(real, x[0], fma(-imaginary, x[width], sum[0]));
  sum[width] = fma(real, x[width], fma(imaginary, x[0], sum[width]));
}

/// sums += value x for `width` columns; x and sums are [number][width].
template <int width>
__device__ void add_product(const double (&value)[2], const double (&x)[2 * width],
                            double (&sums)[2 * width]) {
#pragma unroll
  for (int k = 0; k < width; ++k) add_complex_product<width>(value[0], value[1], x + k, sums + k);
}

/// Of a quaternion a + b j: rows [a, b] and [-b*, a*] of its block.
template <int width>
__device__ void add_product(const double (&value)[4], const double (&x)[4 * width],
                            double (&sums)[4 * width]) {
#pragma unroll
  for (int k = 0; k < width; ++k) {
    const double* second = x + 2 * width + k;
    double* second_sum = sums + 2 * width + k;
    add_complex_product<width>(value[0], value[1], x + k, sums + k);
    add_complex_product<width>(value[2], value[3], second, sums + k);
    add_complex_product<width>(-value[2], value[3], x + k, second_sum);
    add_complex_product<width>(value[0], -value[1], second, second_sum);
  }
}

/// Adds what one lane has of the product of a part, `in_flight` nonzeros at a time.
template <class Scalar, int width, int in_flight>
__device__ void add_complex_part(const BasicDevicePart<Scalar>& part, int lane, const double* __restrict__ x,
                                 double (&sums)[numbers_per_row<Scalar> * width]) {
  constexpr int numbers = numbers_per_row<Scalar>;  // of a value, too
  for (int start = lane; start < part.length; start += 32 * in_flight) {
    double values[in_flight][numbers];
    double xs[in_flight][numbers * width];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const int at = start + 32 * u;
      std::int32_t column = 0;
#pragma unroll
      for (int p = 0; p < numbers; ++p) values[u][p] = 0.0;
#pragma unroll
      for (int i = 0; i < numbers * width; ++i) xs[u][i] = 0.0;
      if (at < part.length) {
        asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(column) : "l"(part.columns + at));
        const auto* from = reinterpret_cast<const double*>(part.values + at);
#pragma unroll
        for (int p = 0; p < numbers; p += 2) stream_load(from + p, values[u][p], values[u][p + 1]);
        gather<numbers * width>(x, column, xs[u]);
      }
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) add_product<width>(values[u], xs[u], sums);
  }
}

inline constexpr int complex_block = 256;  ///< threads, a warp for each of 8 neighbouring rows

/// y = A x or y += A x for the `width` vectors x, packed [row][number][width]; the first `num_written` columns of y are written.
/// @param y_stride  real numbers between columns of y
template <class Scalar, int width, class Rows>
__global__ void __launch_bounds__(complex_block)
    complex_row_kernel(Rows a, const double* __restrict__ x, double* __restrict__ y, std::int64_t y_stride,
                       int num_written, ProductUpdate update) {
  constexpr int numbers = numbers_per_row<Scalar>;
  constexpr int in_flight = numbers * width <= 4 ? 4 : 2;  // more would not stay in registers
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * (complex_block / 32) + static_cast<int>(threadIdx.x) / 32;
  if (row >= a.num_rows) return;  // a whole warp

  double sums[numbers * width] = {};
  a.template for_each_part<1>(row, a.bounds(row), [&](const BasicDevicePart<Scalar>& part) {
    add_complex_part<Scalar, width, in_flight>(part, lane, x, sums);
  });
  __syncwarp();
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < numbers * width; ++i) sums[i] += __shfl_xor_sync(0xffffffffU, sums[i], distance);
  }
  double mine = sums[0];
#pragma unroll
  for (int i = 1; i < numbers * width; ++i) mine = lane == i ? sums[i] : mine;
  const int k = lane % width;
  if (lane < numbers * width && k < num_written)
    put(mine, update, y[k * y_stride + row * numbers + lane / width]);
}

/// y = A x or y += A x for any number of columns.
template <class Scalar, class Rows>
void multiply_complex(const Stream& stream, const Rows& a, ConstComplexDeviceView x, ComplexDeviceView y,
                      SpmvWorkspace& workspace, ProductUpdate update) {
  // As real vectors of twice the length, whose numbers are packed like any others.
  const ConstDeviceView real_x{reinterpret_cast<const double*>(x.data), 2 * x.rows, x.columns, 2 * x.stride};
  const DeviceView real_y{reinterpret_cast<double*>(y.data), 2 * y.rows, y.columns, 2 * y.stride};
  constexpr std::int64_t numbers = numbers_per_row<Scalar>;
  const auto multiply_group = [&](auto group, ConstDeviceView from, DeviceView to) {
    constexpr int width = decltype(group)::value;
    constexpr std::int64_t rows_per_block = complex_block / 32;
    const auto blocks = static_cast<unsigned>((a.num_rows + rows_per_block - 1) / rows_per_block);
    Launch{stream, blocks, complex_block}(complex_row_kernel<Scalar, width, Rows>, a,
                                          packed_columns<width>(stream, from, workspace), to.data, to.stride,
                                          to.columns, update);
  };
  for_each_column_group(a.num_rows * numbers, a.num_columns * numbers, real_x, real_y, multiply_group);
}

}  // namespace cisolve::cuda
