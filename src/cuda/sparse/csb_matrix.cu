// SPDX-License-Identifier: MIT
#include "cuda/sparse/csb_matrix.hpp"

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {
namespace {

using CsbBlocks = BasicCsbMatrix<Pointer>;

constexpr int most_warps = 16;
constexpr unsigned all_lanes = 0xffffffffU;

/// Adds the products of the 32 nonzeros from `at` on (fewer before `last`) to sums[row][width]. Nonzeros of
/// one row are neighbours: a segmented scan collects each run in its last lane, whose row no other lane has.
template <int width>
__device__ void add_nonzeros(const CsbBlocks& a, std::int64_t at, std::int64_t last, int lane,
                             const double* __restrict__ x, double* sums) {
  const std::int64_t mine = at + lane;
  int row = -1;
  double products[width] = {};
  if (mine < last) {
    row = __ldg(a.row_indices + mine);
    const double value = __ldg(a.values + mine);
    gather<width>(x, __ldg(a.column_indices + mine), products);
#pragma unroll
    for (int v = 0; v < width; ++v) products[v] *= value;
  }
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int row_before = __shfl_up_sync(all_lanes, row, distance);
    const bool joins = lane >= distance && row_before == row;
#pragma unroll
    for (int v = 0; v < width; ++v) {
      const double before = __shfl_up_sync(all_lanes, products[v], distance);
      if (joins) products[v] += before;
    }
  }
  const int row_after = __shfl_down_sync(all_lanes, row, 1);
  if (row >= 0 && (lane == 31 || row_after != row)) {
#pragma unroll
    for (int v = 0; v < width; ++v) sums[row * width + v] += products[v];
  }
  __syncwarp();  // The next 32 may go on with this row.
}

/// A block of threads per block row; sums[warp][row][width] in shared memory.
template <int width>
__global__ void __launch_bounds__(32 * most_warps)
    csb_kernel(CsbBlocks a, const double* __restrict__ x, double* __restrict__ y, std::int64_t y_stride,
               int num_written, ProductUpdate update) {
  extern __shared__ double all_sums[];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int num_warps = static_cast<int>(blockDim.x) / 32;
  const int set = a.block_size * width;
  for (int i = static_cast<int>(threadIdx.x); i < num_warps * set; i += static_cast<int>(blockDim.x)) {
    all_sums[i] = 0.0;
  }
  __syncthreads();

  const std::int64_t* offsets = a.block_offsets + blockIdx.x * a.num_block_columns;
  double* sums = all_sums + warp * set;
  for (std::int64_t block = warp; block < a.num_block_columns; block += num_warps) {
    const std::int64_t last = __ldg(offsets + block + 1);
    const double* block_x = x + block * a.block_size * width;
    for (std::int64_t at = __ldg(offsets + block); at < last; at += 32) {
      add_nonzeros<width>(a, at, last, lane, block_x, sums);
    }
  }
  __syncthreads();

  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * a.block_size;
  for (int row = static_cast<int>(threadIdx.x); row < a.block_size && first_row + row < a.num_rows;
       row += static_cast<int>(blockDim.x)) {
    for (int v = 0; v < num_written; ++v) {
      double sum = 0.0;
      for (int w = 0; w < num_warps; ++w) sum += all_sums[w * set + row * width + v];
      put(sum, update, y[v * y_stride + first_row + row]);
    }
  }
}

/// Bytes of shared memory that a block of threads of the current device may ask for.
int shared_memory_limit() {
  int device = 0;
  int bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes;
}

/// As many warps as sets of sums fit, so that two blocks of threads share a multiprocessor if they can.
int warps_for(std::int64_t set_bytes, int limit) {
  int warps = most_warps;
  while (warps > 1 && warps * set_bytes > limit / 2) warps /= 2;
  return warps;
}

/// y = A x or y += A x for `width` packed vectors.
template <int width>
void launch(const Stream& stream, const DeviceCsbMatrix& a, int limit, const double* x, DeviceView y,
            ProductUpdate update) {
  const std::int64_t set_bytes = std::int64_t{8} * a.block_size * width;
  const int warps = warps_for(set_bytes, limit);
  const std::int64_t bytes = warps * set_bytes;
  if (bytes > limit) {
    throw DimensionError("cuda::spmv: the CSB block is too large for the shared memory of this device");
  }
  Launch{stream, static_cast<unsigned>(a.num_block_rows), static_cast<unsigned>(32 * warps),
         static_cast<std::size_t>(bytes)}(csb_kernel<width>, pointers_to(a), x, y.data, y.stride, y.columns,
                                          update);
}

}  // namespace

void spmv(const Stream& stream, const DeviceCsbMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update) {
  const int limit = shared_memory_limit();
  // Sums of four vectors of a large block may not fit: then two or one at a time.
  const std::int64_t vector_bytes = std::int64_t{8} * a.block_size;
  const int at_once = 4 * vector_bytes <= limit ? 4 : 2 * vector_bytes <= limit ? 2 : 1;
  const auto multiply_group = [&](auto group, ConstDeviceView from, DeviceView to) {
    constexpr int width = decltype(group)::value;
    launch<width>(stream, a, limit, packed_columns<width>(stream, from, workspace), to, update);
  };
  for_each_column_group(a.num_rows, a.num_columns, x, y, multiply_group, at_once);
}

}  // namespace cisolve::cuda
