// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve::cuda {

/// Sum over the threads of a warp, in a fixed order; the result is valid in its first lane.
__device__ inline double warp_sum(double value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffU, value, distance);
  }
  return value;
}

/// Sum over the threads of a block, in a fixed order, once in a kernel; the result is valid in thread 0.
template <int block_size>
__device__ double block_sum(double value) {
  __shared__ double warp_sums[block_size / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0.0;
  if (threadIdx.x == 0) {
    for (const double of_warp : warp_sums) sum += of_warp;
  }
  return sum;
}

}  // namespace cisolve::cuda
