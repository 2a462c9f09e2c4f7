// SPDX-License-Identifier: MIT
// Between the order of the space and the layouts: copies and transposes, bound by memory.
#include <iterator>

#include "cisolve/core/error.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/layout/layout_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int tile_rows = 8;  // of threads

/// What kernels read.
struct LayoutTables {
  LayoutArrays<Pointer> lists;
  const std::int32_t* places;
};

using Square = double[layout_square][layout_square + 1];

/// Row in the space of the j-th beta string with the k-th alpha string of a tile.
__device__ std::int64_t row_of(const LayoutTables& a, const LayoutTile& tile, int k, int j) {
  const PieceRows piece = a.lists.piece_rows[tile.rows + static_cast<std::int64_t>(k) * tile.pieces];
  const int place = tile.first_place + j;
  return piece.row + (piece.gather < 0 ? place : a.places[piece.gather + place]);
}

/// body(tile, first beta string, beta strings) for the square of a block of threads.
template <class Body>
__device__ void with_square(const LayoutTables& a, const Body& body) {
  const LayoutTile tile = a.lists.tiles[a.lists.square_tiles[blockIdx.x]];
  const int first = (static_cast<int>(blockIdx.x) - tile.first_square) * layout_square;
  body(tile, first, min(layout_square, tile.beta_strings - first));
}

__global__ void __launch_bounds__(layout_square* tile_rows)
    distribute_kernel(const LayoutTables a, const double* __restrict__ x, double* __restrict__ by_alpha,
                      double* __restrict__ by_beta) {
  __shared__ Square square;
  const int i = static_cast<int>(threadIdx.x);
  with_square(a, [&](const LayoutTile& tile, int first, int count) {
    for (int k = static_cast<int>(threadIdx.y); k < tile.alpha_strings; k += tile_rows) {
      if (i >= count) continue;
      const double value = x[row_of(a, tile, k, first + i)];
      by_alpha[tile.by_alpha + static_cast<std::int64_t>(k) * tile.alpha_stride + first + i] = value;
      square[k][i] = value;
    }
    if (by_beta == nullptr) return;
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.y); k < count; k += tile_rows) {
      if (i < tile.alpha_strings)
        by_beta[tile.by_beta + static_cast<std::int64_t>(first + k) * tile.beta_stride + i] = square[i][k];
    }
  });
}

__global__ void __launch_bounds__(layout_square* tile_rows)
    collect_kernel(const LayoutTables a, const double* diagonal, const Collected c, double* __restrict__ y) {
  __shared__ Square square;
  const int i = static_cast<int>(threadIdx.x);
  with_square(a, [&](const LayoutTile& tile, int first, int count) {
    if (c.by_beta != nullptr) {
      for (int k = static_cast<int>(threadIdx.y); k < count; k += tile_rows) {
        if (i < tile.alpha_strings)
          square[i][k] =
              c.by_beta[tile.by_beta + static_cast<std::int64_t>(first + k) * tile.beta_stride + i];
      }
      __syncthreads();
    }
    for (int k = static_cast<int>(threadIdx.y); k < tile.alpha_strings; k += tile_rows) {
      if (i >= count) continue;
      const std::int64_t row = row_of(a, tile, k, first + i);
      const std::int64_t at = static_cast<std::int64_t>(k) * tile.alpha_stride + first + i;
      const double within = c.within == nullptr ? c.x[row] : c.within[tile.by_alpha + at];
      double sum = diagonal[row] * within + c.by_alpha[tile.y + at];
      if (c.within != nullptr) sum += c.shift * (c.x[row] - within);
      if (c.by_beta != nullptr) sum += c.sign * square[k][i];
      y[row] = sum;
    }
  });
}

/// by_alpha = 1/2 (by_alpha + sign by_beta), own rows of a rank.
__global__ void __launch_bounds__(layout_square* tile_rows)
    mirror_kernel(const LayoutTables a, double sign, const double* __restrict__ by_beta,
                  double* __restrict__ by_alpha) {
  __shared__ Square square;
  const int i = static_cast<int>(threadIdx.x);
  with_square(a, [&](const LayoutTile& tile, int first, int count) {
    for (int k = static_cast<int>(threadIdx.y); k < count; k += tile_rows) {
      if (i < tile.alpha_strings)
        square[i][k] = by_beta[tile.by_beta + static_cast<std::int64_t>(first + k) * tile.beta_stride + i];
    }
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.y); k < tile.alpha_strings; k += tile_rows) {
      if (i >= count) continue;
      double& value = by_alpha[tile.by_alpha + static_cast<std::int64_t>(k) * tile.alpha_stride + first + i];
      value = 0.5 * (value + sign * square[k][i]);
    }
  });
}

/// @tparam own  by_alpha has own rows alone
template <bool own>
__global__ void __launch_bounds__(layout_square* tile_rows)
    restore_kernel(const LayoutTables a, const double* __restrict__ by_alpha, double* __restrict__ y) {
  const int i = static_cast<int>(threadIdx.x);
  with_square(a, [&](const LayoutTile& tile, int first, int count) {
    for (int k = static_cast<int>(threadIdx.y); k < tile.alpha_strings; k += tile_rows) {
      if (i >= count) continue;
      y[row_of(a, tile, k, first + i)] =
          by_alpha[(own ? tile.y : tile.by_alpha) + static_cast<std::int64_t>(k) * tile.alpha_stride + first +
                   i];
    }
  });
}

constexpr int plain_threads = 256;

__global__ void __launch_bounds__(plain_threads)
    symmetrize_kernel(std::int64_t size, double sign, const double* __restrict__ b, double* __restrict__ a) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * plain_threads + threadIdx.x;
  if (i < size) a[i] = 0.5 * (a[i] + sign * b[i]);
}

}  // namespace

LayoutPart::LayoutPart(std::span<const double> diagonal, const LayoutPlan& plan, Uploads& put)
    : arrays_(put(plan.arrays)), places_(put(plan.places)) {
  if (std::ssize(diagonal) != plan.num_rows)
    throw DimensionError("LayoutPart: the diagonal must have one element per row");
  diagonal_ = put(diagonal);
}

/// A block of threads per square.
Launch LayoutPart::over_squares(const Stream& stream) const {
  return {stream, static_cast<unsigned>(arrays_.square_tiles.size()), dim3(layout_square, tile_rows)};
}

void LayoutPart::distribute(const Stream& stream, const double* x, double* by_alpha, double* by_beta) const {
  over_squares(stream)(distribute_kernel, {pointers_to(arrays_), places_.data()}, x, by_alpha, by_beta);
}

void LayoutPart::collect(const Stream& stream, const Collected& collected, double* y) const {
  over_squares(stream)(collect_kernel, {pointers_to(arrays_), places_.data()}, diagonal_.data(), collected,
                       y);
}

void LayoutPart::mirror(const Stream& stream, double sign, const double* by_beta, double* by_alpha) const {
  over_squares(stream)(mirror_kernel, {pointers_to(arrays_), places_.data()}, sign, by_beta, by_alpha);
}

void LayoutPart::restore(const Stream& stream, const double* by_alpha, double* y) const {
  over_squares(stream)(restore_kernel<false>, {pointers_to(arrays_), places_.data()}, by_alpha, y);
}

void LayoutPart::restore_own(const Stream& stream, const double* by_alpha, double* y) const {
  over_squares(stream)(restore_kernel<true>, {pointers_to(arrays_), places_.data()}, by_alpha, y);
}

void symmetrize(const Stream& stream, std::int64_t size, double sign, const double* b, double* a) {
  const auto blocks = static_cast<unsigned>((size + plain_threads - 1) / plain_threads);
  Launch{stream, blocks, plain_threads}(symmetrize_kernel, size, sign, b, a);
}

}  // namespace cisolve::cuda::direct
