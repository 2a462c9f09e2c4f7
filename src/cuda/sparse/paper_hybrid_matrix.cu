// SPDX-License-Identifier: MIT
#include "cuda/sparse/paper_hybrid_matrix.hpp"

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

using PaperRows = BasicPaperHybridMatrix<Pointer>;

/// The paper's tree: the sum of `lanes` elements of shared memory into the first. Its warps ran in lockstep;
/// today's need the barriers.
template <int lanes>
__device__ void reduce_in_shared_memory(double* sums, int lane) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    __syncwarp();
    const double other = lane < distance ? sums[lane + distance] : 0.0;
    __syncwarp();
    if (lane < distance) sums[lane] += other;
  }
  __syncwarp();
}

/// Algorithm 7: a warp per row, or as much of a warp as the block has.
template <int block_size>
__global__ void __launch_bounds__(block_size)
    paper_kernel(PaperRows a, const double* x, double* y, ProductUpdate update) {
  constexpr int lanes = block_size < 32 ? block_size : 32;
  __shared__ double ell_sums[block_size];
  __shared__ double csr_sums[block_size];
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * (block_size / lanes) + warp;
  if (row >= a.num_rows) return;  // A warp as a whole: none waits for another.
  double* in_ell = ell_sums + warp * lanes;
  double* in_csr = csr_sums + warp * lanes;
  in_ell[lane] = 0.0;
  in_csr[lane] = 0.0;
  for (int slot = lane; slot < a.boundary; slot += lanes) {
    const std::int32_t column = a.ell_columns[row * a.boundary + slot];
    if (column != padding_index) in_ell[lane] += a.ell_values[row * a.boundary + slot] * x[column];
  }
  reduce_in_shared_memory<lanes>(in_ell, lane);
  if (a.row_counts[row] > static_cast<std::uint32_t>(a.boundary)) {
    const std::int64_t end = a.ends[row];
    for (std::int64_t at = static_cast<std::int64_t>(a.starts[row]) + lane; at < end; at += lanes) {
      in_csr[lane] += a.csr_values[at] * x[a.csr_columns[at]];
    }
    reduce_in_shared_memory<lanes>(in_csr, lane);
  }
  if (lane == 0) put(in_ell[0] + in_csr[0], update, y[row]);
}

template <int block_size>
void launch(const Stream& stream, const PaperRows& a, const double* x, double* y, ProductUpdate update) {
  constexpr int rows_per_block = block_size < 32 ? 1 : block_size / 32;
  const std::int64_t blocks = (a.num_rows + rows_per_block - 1) / rows_per_block;
  Launch{stream, static_cast<unsigned>(blocks), block_size}(paper_kernel<block_size>, a, x, y, update);
}

}  // namespace

void spmv(const Stream& stream, const DevicePaperHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace&, ProductUpdate update) {
  spmv_in_blocks(stream, a, x, y, best_paper_block_size, update);
}

void spmv_in_blocks(const Stream& stream, const DevicePaperHybridMatrix& a, ConstDeviceView x, DeviceView y,
                    int block_size, ProductUpdate update) {
  if (block_size != 16 && block_size != 32 && block_size != 64) {
    throw DimensionError("the paper's kernel has blocks of 16, 32 or 64 threads");
  }
  const auto product = block_size == 16 ? launch<16> : block_size == 32 ? launch<32> : launch<64>;
  const auto multiply_column = [&](auto, ConstDeviceView from, DeviceView to) {
    product(stream, pointers_to(a), from.data, to.data, update);
  };
  for_each_column_group(a.num_rows, a.num_columns, x, y, multiply_column, 1);
}

}  // namespace cisolve::cuda
