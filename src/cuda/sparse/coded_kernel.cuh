// SPDX-License-Identifier: MIT
#pragma once

// The product kernel of the coded format. What it must do is bring x and the words from L2 to the
// multiprocessors at full rate. So words pass L1 by (L1 is left to x) and are loaded one step ahead, 16
// bytes a lane; values come from the dictionary in shared memory; and the blocks are resident. Neighbouring
// slices need much the same part of x, so a block takes one for each of its groups of warps from a counter
// at a time: what one group gathers, the others find in L1.

#include <cstdint>

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {

/// What the kernels see of the matrix; see cisolve::CodedMatrix.
struct CodedSlices {
  std::int64_t num_slices;
  std::int32_t num_codes;
  const double* __restrict__ dictionary;
  const std::int32_t* __restrict__ permutation;
  const std::int32_t* __restrict__ bases;
  const std::int64_t* __restrict__ chunk_offsets;
  const std::int64_t* __restrict__ remainder_offsets;
  const uint4* __restrict__ words;
  const double* __restrict__ remainder_values;
  const std::int32_t* __restrict__ remainder_columns;
};

constexpr int warp_lanes = 32;
constexpr int dense_block = 768;  // with two of them a multiprocessor has 1536 threads of 40 registers
constexpr int roomy_block = 1024;

__device__ inline uint4 stream_load(const uint4* from) {
  uint4 loaded;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
      : "l"(from));
  return loaded;
}

/// By how many columns a word moves on.
template <bool wide_jumps>
__device__ unsigned step_of(unsigned word) {
  if constexpr (wide_jumps) return (word & 0x7fff0000U) == 0 ? word << 16 : word & 0xffffU;
  else return word & 0xffffU;
}

/// Value of a word: the code, times 8, is the place in the dictionary; the sign goes to the high half.
template <bool shared_dictionary>
__device__ double value_of(const double* dictionary, unsigned word) {
  const auto* at = reinterpret_cast<const double*>(reinterpret_cast<const char*>(dictionary) +
                                                   ((word >> 13) & 0x3fff8U));
  double value;
  if constexpr (shared_dictionary) value = *at;
  else value = __ldg(at);
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(word & 0x80000000U),
                          __double2loint(value));
}

/// Adds `chunks` chunks of a row; all of x is asked for before the first product.
template <int chunks, int width, bool wide_jumps, bool shared_dictionary>
__device__ void add_chunks(const uint4 (&loaded)[chunks], unsigned& column, const double* dictionary,
                           const double* __restrict__ x, double (&sums)[width]) {
  unsigned words[4 * chunks];
  double xs[4 * chunks][width];
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    words[4 * c] = loaded[c].x;
    words[4 * c + 1] = loaded[c].y;
    words[4 * c + 2] = loaded[c].z;
    words[4 * c + 3] = loaded[c].w;
  }
#pragma unroll
  for (int at = 0; at < 4 * chunks; ++at) {
    column += step_of<wide_jumps>(words[at]);
    gather<width>(x, static_cast<std::int32_t>(column), xs[at]);
  }
#pragma unroll
  for (int at = 0; at < 4 * chunks; ++at) {
    const double value = value_of<shared_dictionary>(dictionary, words[at]);
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] = fma(value, xs[at][k], sums[k]);
  }
}

/// The chunks at[0], at[32], ..., `left` of them: `chunks` at a time, those of the next turn on their way.
template <int chunks, int width, bool wide_jumps, bool shared_dictionary>
__device__ void add_coded(const uint4* at, int left, unsigned column, const double* dictionary,
                          const double* __restrict__ x, double (&sums)[width]) {
  if (left >= chunks) {
    uint4 loaded[chunks];
#pragma unroll
    for (int c = 0; c < chunks; ++c) loaded[c] = stream_load(at + c * warp_lanes);
    while (true) {
      at += chunks * warp_lanes;
      left -= chunks;
      const bool has_more = left >= chunks;
      uint4 following[chunks];
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        following[c] = loaded[c];
        if (has_more) following[c] = stream_load(at + c * warp_lanes);
      }
      add_chunks<chunks, width, wide_jumps, shared_dictionary>(loaded, column, dictionary, x, sums);
      if (!has_more) break;
#pragma unroll
      for (int c = 0; c < chunks; ++c) loaded[c] = following[c];
    }
  }
  if constexpr (chunks > 1) {
    for (; left > 0; --left, at += warp_lanes) {
      const uint4 loaded[1] = {stream_load(at)};
      add_chunks<1, width, wide_jumps, shared_dictionary>(loaded, column, dictionary, x, sums);
    }
  }
}

template <int width>
__device__ void add_remainder(const CodedSlices& a, std::int64_t first, std::int64_t last, int lane,
                              const double* __restrict__ x, double (&sums)[width]) {
#pragma unroll 2
  for (std::int64_t slot = first; slot < last; ++slot) {
    const std::int64_t at = slot * warp_lanes + lane;
    const Nonzeros<1> loaded = stream_load(a.remainder_columns + at, a.remainder_values + at,
                                           std::integral_constant<int, 1>{});
    double xs[width];
    gather<width>(x, loaded.columns[0], xs);
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] = fma(loaded.values[0], xs[k], sums[k]);
  }
}

/// Adds what one warp has of a slice: its part of the chunks and of the remainder.
template <int width, bool wide_jumps, bool shared_dictionary, bool dense>
__device__ void add_slice(const CodedSlices& a, std::int64_t slice, int part, int log2_parts, int lane,
                          const double* dictionary, const double* __restrict__ x, double (&sums)[width]) {
  const std::int64_t first = __ldg(a.chunk_offsets + slice);
  const std::int64_t chunks = __ldg(a.chunk_offsets + slice + 1) - first;
  const std::int64_t from = chunks * part >> log2_parts;
  const std::int64_t to = chunks * (part + 1) >> log2_parts;
  const auto base = static_cast<unsigned>(
      __ldg(a.bases + (slice * coded_parts + part * (coded_parts >> log2_parts)) * warp_lanes + lane));
  const std::int64_t remainder = __ldg(a.remainder_offsets + slice);
  const std::int64_t slots = __ldg(a.remainder_offsets + slice + 1) - remainder;
  constexpr int chunks_at_once = !dense && width == 1 ? 2 : 1;
  add_coded<chunks_at_once, width, wide_jumps, shared_dictionary>(
      a.words + (first + from) * warp_lanes + lane, static_cast<int>(to - from), base, dictionary, x, sums);
  add_remainder<width>(a, remainder + (slots * part >> log2_parts),
                       remainder + (slots * (part + 1) >> log2_parts), lane, x, sums);
}

/// y = A x for the `width` packed vectors x; the first `num_written` columns of y are written.
///
/// A warp has one part of a slice, a lane one row; 2^log2_parts warps make a group. The last part to finish
/// does not matter: partial sums are added in the order of the parts.
/// @param next_slice  0; the first slice that no block has taken
template <int width, bool wide_jumps, bool shared_dictionary, bool dense>
__global__ void __launch_bounds__(dense ? dense_block : roomy_block, dense ? 2 : 1)
coded_kernel(CodedSlices a, int log2_parts, const double* __restrict__ x, double* __restrict__ y,
             std::int64_t y_stride, int num_written, unsigned* next_slice) {
  extern __shared__ double shared[];
  __shared__ unsigned next[2];
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int num_parts = 1 << log2_parts;
  const int part = warp & (num_parts - 1);
  const int group = warp >> log2_parts;
  const int num_groups = static_cast<int>(blockDim.x) / warp_lanes >> log2_parts;
  const double* dictionary = shared_dictionary ? shared : a.dictionary;
  double* partial_sums = shared + (shared_dictionary ? a.num_codes : 0);
  if constexpr (shared_dictionary) {
    for (int code = static_cast<int>(threadIdx.x); code < a.num_codes; code += static_cast<int>(blockDim.x)) {
      shared[code] = a.dictionary[code];
    }
  }
  if (threadIdx.x == 0) next[0] = atomicAdd(next_slice, static_cast<unsigned>(num_groups));
  __syncthreads();

  // Everything shared alternates between two places: one barrier per turn is then enough.
  std::int64_t first_slice = next[0];
  for (int turn = 0; first_slice < a.num_slices; turn ^= 1) {
    const std::int64_t slice = first_slice + group;
    double sums[width] = {};
    if (threadIdx.x == 0) next[turn ^ 1] = atomicAdd(next_slice, static_cast<unsigned>(num_groups));
    if (slice < a.num_slices) {
      add_slice<width, wide_jumps, shared_dictionary, dense>(a, slice, part, log2_parts, lane, dictionary, x, sums);
    }
    double* mine = partial_sums + ((turn * num_groups + group) * (num_parts - 1)) * width * warp_lanes + lane;
    if (part > 0) {
#pragma unroll
      for (int k = 0; k < width; ++k) mine[((part - 1) * width + k) * warp_lanes] = sums[k];
    }
    __syncthreads();
    if (part == 0 && slice < a.num_slices) {
      const std::int32_t row = __ldg(a.permutation + slice * warp_lanes + lane);
#pragma unroll
      for (int k = 0; k < width; ++k) {
        for (int other = 0; other < num_parts - 1; ++other) sums[k] += mine[(other * width + k) * warp_lanes];
        if (row >= 0 && k < num_written) y[k * y_stride + row] = sums[k];
      }
    }
    first_slice = next[turn ^ 1];
  }
}

}  // namespace cisolve::cuda
