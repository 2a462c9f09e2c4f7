// SPDX-License-Identifier: MIT
// Same-spin Hamiltonians of panels as dense matrices.
#include <cuda_pipeline.h>

#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/lanes.cuh"
#include "cuda/hamiltonian/direct/last_from.cuh"
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int dense_warps = 8;
constexpr int dense_threads = dense_warps * warp_size;

/// What of a product by a dense matrix a warp does: a tile, which it shares with `shares - 1` others.
struct DenseShare {
  int number, share, shares;
  bool works;

  __device__ explicit DenseShare(int num_tiles) {
    shares = min(dense_warps / num_tiles, dense_rows / 8);
    number = warp() / shares;
    share = warp() % shares;
    works = number < num_tiles;
  }
};

/// Copies rows to shared memory, a stage at a time: the matrix's by all threads, those of x by the warps of their tile.
class DenseCopy {
public:
  /// @param x  where the tile begins
  __device__ DenseCopy(const DenseGroup& group, const DenseTile& tile, const DenseShare& share,
                       const double* matrix, const double* x)
      : matrix_ld_(group.ld), stride_(tile.stride), last_row_(group.rows - 1), share_(share) {
    constexpr int matrix_pieces = dense_targets / wide, x_pieces = dense_columns / wide;
    matrix_row_ = static_cast<int>(threadIdx.x) / matrix_pieces;
    matrix_at_ = wide * (static_cast<int>(threadIdx.x) % matrix_pieces);
    matrix_ = matrix + static_cast<std::int64_t>(matrix_row_) * matrix_ld_ + matrix_at_;
    x_row_ = share.share * (warp_size / x_pieces) + lane() / x_pieces;
    x_at_ = wide * (lane() % x_pieces);
    x_ = x + x_at_;
    copies_x_ = share.works && x_at_ < tile.columns;
  }

  /// Begins to copy the rows from `first` on.
  __device__ void operator()(int first, DenseStage& to) {
    constexpr int matrix_step = dense_threads / (dense_targets / wide);
#pragma unroll
    for (int k = 0; k < dense_rows; k += matrix_step)
      __pipeline_memcpy_async(&to.matrix[matrix_row_ + k][matrix_at_],
                              matrix_ + static_cast<std::int64_t>(first + k) * matrix_ld_,
                              wide * sizeof(double));
    if (!copies_x_) return;
    const int x_step = share_.shares * (warp_size / (dense_columns / wide));
    for (int row = x_row_; row < dense_rows; row += x_step) {
      // Behind the last row there is some row times zero.
      __pipeline_memcpy_async(&to.x[share_.number][row][x_at_],
                              x_ + static_cast<std::int64_t>(min(first + row, last_row_)) * stride_,
                              wide * sizeof(double));
    }
  }

private:
  static constexpr int wide = 2;  ///< elements copied at a time
  const double* matrix_;
  const double* x_;
  const int matrix_ld_, stride_, last_row_;
  const DenseShare share_;
  int matrix_row_, matrix_at_, x_row_, x_at_;
  bool copies_x_;
};

/// Multiplies the rows of a stage that are a warp's share with those of x. For multiply_add, rows g and g + 8 are columns
/// 2 g and 2 g + 1 of x, and column g of tiles 2 h and 2 h + 1 are rows 16 h + 2 g and 16 h + 2 g + 1 of y.
__device__ void multiply_stage(const DenseStage& stage, const DenseShare& share,
                               double (&sums)[dense_targets / 8][4]) {
  constexpr int tiles = dense_targets / 8, steps = dense_rows / 8;
  static_assert(dense_targets == 32 && dense_columns == 16);
  const int g = lane() / 4;
#pragma unroll 1
  for (int step = share.share; step < steps; step += share.shares) {
    double values[4], factors[2][tiles];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int row = 8 * step + 4 * k + lane() % 4;
      const auto x = *reinterpret_cast<const double2*>(&stage.x[share.number][row][2 * g]);
      values[2 * k] = x.x;
      values[2 * k + 1] = x.y;
#pragma unroll
      for (int t = 0; t < tiles; t += 2) {
        const auto h = *reinterpret_cast<const double2*>(&stage.matrix[row][8 * t + 2 * g]);
        factors[k][t] = h.x;
        factors[k][t + 1] = h.y;
      }
    }
#pragma unroll
    for (int t = 0; t < tiles; ++t) multiply_add(sums[t], values, factors[0][t], factors[1][t]);
  }
}

/// The part of a tile's rows of y that a warp has summed.
using Part = double2[dense_targets][dense_columns / 2];

/// y = matrix x: a block's rows of y for the tiles of a group. The warps of a tile share out rows of x; their parts are
/// added in their order.
__global__ void __launch_bounds__(dense_threads, 2)
    dense_kernel(const __grid_constant__ DenseTables a, const __grid_constant__ Panels panels) {
  extern __shared__ double2 memory[];
  auto* stages = reinterpret_cast<DenseStage*>(memory);
  const DenseGroup group = last_from(a.lists.groups, a.num_groups, static_cast<std::int32_t>(blockIdx.x),
                                     &DenseGroup::first_block);
  const int first_target = (static_cast<int>(blockIdx.x) - group.first_block) * dense_targets;
  const DenseShare share(group.num_tiles);
  const DenseTile tile = a.lists.tiles[group.first_tile + (share.works ? share.number : 0)];
  DenseCopy copy(group, tile, share, a.matrices + group.matrix + first_target,
                 panels.x[tile.layout] + tile.x);
  double sums[dense_targets / 8][4] = {};
  for (int k = 0; k + 1 < dense_stages; ++k) {
    if (k * dense_rows < group.rows) copy(k * dense_rows, stages[k]);
    __pipeline_commit();
  }
  int turn = 0;
  int next = dense_stages - 1;
  for (int first = 0; first < group.rows; first += dense_rows) {
    __pipeline_wait_prior(dense_stages - 2);
    __syncthreads();
    const int ahead = first + (dense_stages - 1) * dense_rows;
    if (ahead < group.rows) copy(ahead, stages[next]);
    __pipeline_commit();
    const DenseStage& stage = stages[turn];
    turn = turn + 1 == dense_stages ? 0 : turn + 1;
    next = next + 1 == dense_stages ? 0 : next + 1;
    if (share.works) multiply_stage(stage, share, sums);
  }
  __syncthreads();
  auto* parts = reinterpret_cast<Part*>(memory);  // by warp
  static_assert(dense_warps * sizeof(Part) <= dense_stages * sizeof(DenseStage));
  const int g = lane() / 4;
#pragma unroll
  for (int t = 0; t < dense_targets / 8; ++t) {
    const int row = t / 2 * 16 + t % 2 + 4 * (lane() % 4);
    parts[warp()][row][g] = make_double2(sums[t][0], sums[t][2]);
    parts[warp()][row + 2][g] = make_double2(sums[t][1], sums[t][3]);
  }
  __syncthreads();
  if (!share.works) return;
  constexpr int at_a_time = warp_size / (dense_columns / 2);
  const int column = lane() % (dense_columns / 2);
  if (2 * column >= tile.columns) return;
  double* y = panels.y[tile.layout] + tile.y;
  for (int row = share.share * at_a_time + lane() / (dense_columns / 2);
       row < min(dense_targets, group.targets - first_target); row += share.shares * at_a_time) {
    double2 sum{0.0, 0.0};
    for (int part = share.number * share.shares; part < (share.number + 1) * share.shares; ++part) {
      sum.x += parts[part][row][column].x;
      sum.y += parts[part][row][column].y;
    }
    auto* to = reinterpret_cast<double2*>(y + static_cast<std::int64_t>(first_target + row) * tile.stride);
    if (a.adds) {
      sum.x += to[column].x;
      sum.y += to[column].y;
    }
    to[column] = sum;
  }
}

}  // namespace

void launch_dense_panels(const Stream& stream, const DenseTables& tables, const Panels& panels) {
  Launch{stream, static_cast<unsigned>(tables.num_blocks), dense_threads, dense_stages * sizeof(DenseStage)}(
      dense_kernel, tables, panels);
}

}  // namespace cisolve::cuda::direct
