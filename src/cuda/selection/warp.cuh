// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Who a thread is, and what the lanes of a warp tell each other.
namespace cisolve::cuda {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = 0xffffffffU;

__device__ inline int lane_number() { return static_cast<int>(threadIdx.x % warp_size); }
__device__ inline std::int64_t thread_number() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t warp_number() { return thread_number() / warp_size; }

/// Sum over the lanes; valid in the first.
__device__ inline unsigned long long warp_total(unsigned long long value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync(all_lanes, value, distance);
  return value;
}

/// Sum over the lanes up to this one.
__device__ inline std::int32_t sum_up_to(std::int32_t value) {
  const int lane = lane_number();
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const std::int32_t before = __shfl_up_sync(all_lanes, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}
__device__ inline std::int32_t of_last_lane(std::int32_t value) {
  return __shfl_sync(all_lanes, value, warp_size - 1);
}

/// Number of the last of first .. last whose begin is not beyond `item`.
__device__ inline std::int64_t last_before(const std::int64_t* __restrict__ begins, std::int64_t first,
                                           std::int64_t last, std::int64_t item) {
  while (first < last) {
    const std::int64_t middle = (first + last + 1) / 2;
    if (begins[middle] <= item)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

}  // namespace cisolve::cuda
