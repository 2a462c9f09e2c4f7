// SPDX-License-Identifier: MIT
#pragma once

// Threads that work on one chain: one of the host, a warp, or a block. Code for all of them asks for ranks and reductions
// here, so that the host can run what the device does.

// CISOLVE_GROUP: functions of a group of threads, of the device where nvcc compiles them, else of the host.
// CISOLVE_UNROLL, CISOLVE_UNROLL_4: before loops that the device's compiler is to unroll, wholly or by four.
#ifdef __CUDACC__
#define CISOLVE_GROUP __device__
#define CISOLVE_UNROLL _Pragma("unroll")
#define CISOLVE_UNROLL_4 _Pragma("unroll 4")
#else
#define CISOLVE_GROUP
#define CISOLVE_UNROLL
#define CISOLVE_UNROLL_4
#endif

namespace cisolve::cuda::sampling {

/// A single thread, of host or device.
struct SerialGroup {
  static constexpr int size = 1, warps = 1, lanes = 1;

  CISOLVE_GROUP int rank() const { return 0; }
  CISOLVE_GROUP int warp() const { return 0; }
  CISOLVE_GROUP int lane() const { return 0; }
  CISOLVE_GROUP bool is_first() const { return true; }
  CISOLVE_GROUP void sync() const {}
  CISOLVE_GROUP double sum(double value, double*) const { return value; }
  CISOLVE_GROUP double largest(double value, double*) const { return value; }
  CISOLVE_GROUP int index_of_largest(double, int index, double*) const { return index; }
  CISOLVE_GROUP int from_first(int value, int*) const { return value; }
};

#ifdef __CUDACC__

namespace detail {

__device__ inline double warp_sum(double value) {
  // Sums of two lanes are the same in both, so that all get the same.
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffU, value, distance);
  return value;
}
__device__ inline double warp_largest(double value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmax(value, __shfl_xor_sync(0xffffffffU, value, distance));
  return value;
}
/// The lower index where values are equal.
__device__ inline void warp_index_of_largest(double& value, int& index) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const double other = __shfl_xor_sync(0xffffffffU, value, distance);
    const int other_index = __shfl_xor_sync(0xffffffffU, index, distance);
    if (other > value || (other == value && other_index < index)) {
      value = other;
      index = other_index;
    }
  }
}

}  // namespace detail

/// A warp. Results of reductions are known to all of its threads.
struct WarpGroup {
  static constexpr int size = 32, warps = 1, lanes = 32;

  __device__ int rank() const { return lane(); }
  __device__ int warp() const { return 0; }
  __device__ int lane() const { return static_cast<int>(threadIdx.x % 32); }
  __device__ bool is_first() const { return lane() == 0; }
  __device__ void sync() const { __syncwarp(); }
  __device__ double sum(double value, double*) const { return detail::warp_sum(value); }
  __device__ double largest(double value, double*) const { return detail::warp_largest(value); }
  __device__ int index_of_largest(double value, int index, double*) const {
    detail::warp_index_of_largest(value, index);
    return index;
  }
  __device__ int from_first(int value, int*) const { return __shfl_sync(0xffffffffU, value, 0); }
};

/// A block of that many threads. Reductions use shared memory of twice as many doubles as there are warps.
template <int threads>
struct BlockGroup {
  static constexpr int size = threads, warps = threads / 32, lanes = 32;

  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int warp() const { return static_cast<int>(threadIdx.x / 32); }
  __device__ int lane() const { return static_cast<int>(threadIdx.x % 32); }
  __device__ bool is_first() const { return threadIdx.x == 0; }
  __device__ void sync() const { __syncthreads(); }

  __device__ double sum(double value, double* shared) const {
    value = detail::warp_sum(value);
    if (lane() == 0) shared[warp()] = value;
    __syncthreads();
    double total = 0.0;
    for (int w = 0; w < warps; ++w) total += shared[w];
    __syncthreads();
    return total;
  }
  __device__ double largest(double value, double* shared) const {
    value = detail::warp_largest(value);
    if (lane() == 0) shared[warp()] = value;
    __syncthreads();
    for (int w = 0; w < warps; ++w) value = fmax(value, shared[w]);
    __syncthreads();
    return value;
  }
  __device__ int index_of_largest(double value, int index, double* shared) const {
    detail::warp_index_of_largest(value, index);
    if (lane() == 0) {
      shared[warp()] = value;
      shared[warps + warp()] = static_cast<double>(index);
    }
    __syncthreads();
    for (int w = 0; w < warps; ++w) {
      const double other = shared[w];
      const int other_index = static_cast<int>(shared[warps + w]);
      if (other > value || (other == value && other_index < index)) {
        value = other;
        index = other_index;
      }
    }
    __syncthreads();
    return index;
  }
  __device__ int from_first(int value, int* shared) const {
    if (threadIdx.x == 0) *shared = value;
    __syncthreads();
    const int result = *shared;
    __syncthreads();
    return result;
  }
};

#endif

}  // namespace cisolve::cuda::sampling
