// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda/core/launch.cuh"
#include "cuda/core/sums.cuh"
#include "cuda/lapw/kernels.hpp"

namespace cisolve::cuda::lapw {
namespace {

constexpr int block_size = 256;

/// Rows in x, columns in y: a block of threads has 256 rows of one column of the lower triangle, or lies above it.
Launch over_pairs(const Stream& stream, std::int64_t rows, std::int64_t columns,
                  std::source_location where = std::source_location::current()) {
  const dim3 grid(static_cast<unsigned>((rows + block_size - 1) / block_size),
                  static_cast<unsigned>(columns));
  return {stream, grid, block_size, 0, where};
}

__device__ std::int64_t row_here() {
  return static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
}

__global__ void __launch_bounds__(block_size)
    pass_kernel(PassView view, cuDoubleComplex* h, cuDoubleComplex* s, std::int64_t ld) {
  const std::int64_t row = view.first + row_here(), column = view.first + blockIdx.y, n = view.waves;
  if (row < column || row >= n) return;
  const std::int64_t place = view.offsets[row] - view.offsets[column];
  cuDoubleComplex of_s = {0.0, 0.0}, of_h = {0.0, 0.0};
  if (view.theta != nullptr) {
    of_s = view.theta[place];
    const double kinetic = 0.25 * (view.squares[row] + view.squares[column]);
    of_h = {kinetic * of_s.x, kinetic * of_s.y};
    if (view.v_theta != nullptr) {
      const cuDoubleComplex v = view.v_theta[place];
      of_h.x += v.x;
      of_h.y += v.y;
    }
  }
  if (view.num_types > 0) {
    double cosine = 0.0;
    for (int i = 0; i < 3; ++i) cosine += view.directions[i * n + row] * view.directions[i * n + column];
    cosine = fmin(1.0, fmax(-1.0, cosine));
    for (int t = 0; t < view.num_types; ++t) {
      const SphericalView type = view.types[t];
      double before = 0.0, p = 1.0, sum_s = 0.0, sum_h = 0.0;
      for (int l = 0; l <= type.lmax; ++l) {
        const double f = type.f[l * n + row], g = type.g[l * n + row];
        const double weight = 2 * l + 1;
        const double f2 = weight * type.f[l * n + column], g2 = weight * type.g[l * n + column];
        const double norm = type.norm[l], energy = type.energy[l];
        const double overlap = f * f2 + norm * g * g2;
        sum_s += p * overlap;
        sum_h += p * (energy * overlap + 0.5 * (f * g2 + g * f2));
        const double next = (weight * cosine * p - l * before) / (l + 1);
        before = p;
        p = next;
      }
      const cuDoubleComplex phase = type.structure[place];
      sum_s *= view.factor;
      sum_h *= view.factor;
      of_s.x += phase.x * sum_s;
      of_s.y += phase.y * sum_s;
      of_h.x += phase.x * sum_h;
      of_h.y += phase.y * sum_h;
    }
  }
  if (row == column) of_s.y = of_h.y = 0.0;  // sums of complex numbers leave rounding there
  const std::int64_t to = (column - view.first) * ld + row - view.first;
  s[to] = of_s;
  h[to] = of_h;
}

__global__ void __launch_bounds__(block_size)
    diagonals_kernel(std::int64_t n, const double* h_diagonal, const double* s_diagonal, cuDoubleComplex* h,
                     cuDoubleComplex* s, std::int64_t ld) {
  const std::int64_t row = row_here(), column = blockIdx.y;
  if (row < column || row >= n) return;
  const bool is_given = row == column && h_diagonal != nullptr;
  h[column * ld + row] = {is_given ? h_diagonal[row] : 0.0, 0.0};
  s[column * ld + row] = {is_given ? s_diagonal[row] : 0.0, 0.0};
}

__global__ void __launch_bounds__(block_size)
    combine_kernel(std::int64_t n, const cuDoubleComplex* a, double sigma, const cuDoubleComplex* b,
                   cuDoubleComplex* out) {
  const std::int64_t row = row_here(), column = blockIdx.y;
  if (row < column || row >= n) return;
  const std::int64_t at = column * n + row;
  cuDoubleComplex value = a[at];
  if (b != nullptr) {
    value.x -= sigma * b[at].x;
    value.y -= sigma * b[at].y;
  }
  out[at] = value;
}

constexpr int tile = 32, tile_rows = 8;

/// Tiles through shared memory, so that both sides are read and written along columns.
__global__ void mirror_kernel(std::int64_t n, cuDoubleComplex* a) {
  __shared__ cuDoubleComplex held[tile][tile + 1];
  if (blockIdx.x < blockIdx.y) return;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * tile;
  const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.y) * tile;
  for (int k = static_cast<int>(threadIdx.y); k < tile; k += tile_rows) {
    const std::int64_t row = first_row + threadIdx.x, column = first_column + k;
    if (row < n && column < n && row >= column) held[k][threadIdx.x] = a[column * n + row];
  }
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.y); k < tile; k += tile_rows) {
    const std::int64_t row = first_column + threadIdx.x, column = first_row + k;  // of the upper triangle
    if (row >= n || column >= n || row >= column) continue;
    const cuDoubleComplex value = held[threadIdx.x][k];
    a[column * n + row] = {value.x, -value.y};
  }
}

__global__ void __launch_bounds__(block_size)
    squares_kernel(std::int64_t n, const cuDoubleComplex* a, double* sums) {
  const std::int64_t column = blockIdx.x;
  double sum = 0.0;
  for (std::int64_t row = column + threadIdx.x; row < n; row += block_size) {
    const cuDoubleComplex value = a[column * n + row];
    const double square = value.x * value.x + value.y * value.y;
    sum += row == column ? square : 2.0 * square;
  }
  sum = block_sum<block_size>(sum);
  if (threadIdx.x == 0) sums[column] = sum;
}

__global__ void __launch_bounds__(block_size)
    gather_kernel(std::int64_t n, const cuDoubleComplex* a, const std::int64_t* rows, std::int64_t count,
                  cuDoubleComplex* out) {
  const std::int64_t at = row_here();
  if (at >= count * count) return;
  const std::int64_t i = rows[at % count], j = rows[at / count];
  const cuDoubleComplex value = i >= j ? a[j * n + i] : a[i * n + j];
  out[at] = {value.x, i >= j ? value.y : -value.y};
}

__global__ void __launch_bounds__(block_size)
    scale_columns_kernel(std::int64_t rows, const double* factors, cuDoubleComplex* x) {
  const std::int64_t row = row_here(), column = blockIdx.y;
  if (row >= rows) return;
  x[column * rows + row].x *= factors[column];
  x[column * rows + row].y *= factors[column];
}

}  // namespace

void plane_wave_pass(const Stream& stream, const PassView& view, cuDoubleComplex* h, cuDoubleComplex* s,
                     std::int64_t ld) {
  over_pairs(stream, view.waves - view.first, view.columns)(pass_kernel, view, h, s, ld);
}

void set_diagonals(const Stream& stream, std::int64_t n, std::int64_t columns, const double* h_diagonal,
                   const double* s_diagonal, cuDoubleComplex* h, cuDoubleComplex* s, std::int64_t ld) {
  over_pairs(stream, n, columns)(diagonals_kernel, n, h_diagonal, s_diagonal, h, s, ld);
}

void combine_lower(const Stream& stream, std::int64_t n, const cuDoubleComplex* a, double sigma,
                   const cuDoubleComplex* b, cuDoubleComplex* out) {
  over_pairs(stream, n, n)(combine_kernel, n, a, sigma, b, out);
}

void mirror(const Stream& stream, std::int64_t n, cuDoubleComplex* a) {
  const auto tiles = static_cast<unsigned>((n + tile - 1) / tile);
  Launch{stream, dim3(tiles, tiles), dim3(tile, tile_rows)}(mirror_kernel, n, a);
}

void column_squares(const Stream& stream, std::int64_t n, const cuDoubleComplex* a, double* sums) {
  Launch{stream, dim3(static_cast<unsigned>(n)), block_size}(squares_kernel, n, a, sums);
}

void gather_block(const Stream& stream, std::int64_t n, const cuDoubleComplex* a, const std::int64_t* rows,
                  std::int64_t count, cuDoubleComplex* out) {
  const auto blocks = static_cast<unsigned>((count * count + block_size - 1) / block_size);
  Launch{stream, dim3(blocks), block_size}(gather_kernel, n, a, rows, count, out);
}

void scale_columns(const Stream& stream, std::int64_t rows, std::int64_t columns, const double* factors,
                   cuDoubleComplex* x) {
  const dim3 grid(static_cast<unsigned>((rows + block_size - 1) / block_size),
                  static_cast<unsigned>(columns));
  Launch{stream, grid, block_size}(scale_columns_kernel, rows, factors, x);
}

}  // namespace cisolve::cuda::lapw
