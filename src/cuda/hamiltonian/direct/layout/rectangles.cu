// SPDX-License-Identifier: MIT
// What is exchanged between ranks, packed; and layout 1 from layout 0: bound by memory.
#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/last_from.cuh"
#include "cuda/hamiltonian/direct/layout/exchange_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int square_rows = 8;  // of threads

/// A block of threads per square.
template <bool transposed>
__global__ void __launch_bounds__(rectangle_square* square_rows)
    rectangles_kernel(const Rectangle* list, int size, const double* __restrict__ from,
                      double* __restrict__ to) {
  __shared__ double square[rectangle_square][rectangle_square + 1];
  const Rectangle r = last_from(list, size, static_cast<std::int32_t>(blockIdx.x), &Rectangle::first_square);
  const int across = (r.columns + rectangle_square - 1) / rectangle_square;
  const int number = static_cast<int>(blockIdx.x) - r.first_square;
  const int row = number / across * rectangle_square;
  const int column = number % across * rectangle_square;
  const int i = static_cast<int>(threadIdx.x);
  const int last_row = min(r.rows - row, rectangle_square);
  const int last_column = min(r.columns - column, rectangle_square);
  from += r.from + row * r.from_stride + column;
  for (int k = static_cast<int>(threadIdx.y); k < last_row; k += square_rows) {
    if (i >= last_column) continue;
    const double value = from[k * r.from_stride + i];
    if (transposed)
      square[k][i] = value;
    else
      to[r.to + (row + k) * r.to_stride + column + i] = value;
  }
  if (!transposed) return;
  __syncthreads();
  to += r.to + column * r.to_stride + row;
  for (int k = static_cast<int>(threadIdx.y); k < last_column; k += square_rows) {
    if (i < last_row) to[k * r.to_stride + i] = square[i][k];
  }
}

constexpr dim3 square_threads(rectangle_square, square_rows);

}  // namespace

void RectanglesPart::copy(const Stream& stream, const double* from, double* to) const {
  Launch{stream, static_cast<unsigned>(num_squares_), square_threads}(
      rectangles_kernel<false>, list_.data(), static_cast<int>(list_.size()), from, to);
}

void RectanglesPart::transpose(const Stream& stream, const double* from, double* to) const {
  Launch{stream, static_cast<unsigned>(num_squares_), square_threads}(
      rectangles_kernel<true>, list_.data(), static_cast<int>(list_.size()), from, to);
}

}  // namespace cisolve::cuda::direct
