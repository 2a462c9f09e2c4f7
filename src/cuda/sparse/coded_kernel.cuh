// SPDX-License-Identifier: MIT
#pragma once

// The product kernel of the coded format. What limits it is the pipe by which loads leave L1 and shared
// memory, which is about 90% busy. So words pass L1 by (L1 is left to x) and are loaded one step ahead, 16
// bytes a lane; values come from the dictionary in shared memory, whose numbering spreads them over the
// banks; x comes by the texture units where its lanes lie in many cache lines. The blocks are resident.
// Neighbouring slices need much the same part of x, so a block takes one for each of its groups of warps
// from a counter at a time: what one group gathers, the others find in L1.

#include <cstdint>

#include "cuda/sparse/row_kernel.cuh"

namespace cisolve::cuda {

/// What the kernels see of the matrix; see cisolve::CodedMatrix.
struct CodedSlices : CodedTables<Pointer>, CodedSlots<Pointer> {
  std::int64_t num_slices;
  std::int32_t num_codes;
};

constexpr int warp_lanes = 32;
constexpr int log2_coded_parts = 2;
static_assert(coded_parts == 1 << log2_coded_parts);

__device__ inline uint4 stream_load(const uint4* from) {
  uint4 loaded;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
               : "l"(from));
  return loaded;
}

/// By how many columns a word moves on.
template <bool wide_jumps>
__device__ unsigned step_of(unsigned word) {
  if constexpr (wide_jumps)
    return (word & 0x7fff0000U) == 0 ? word << 16 : word & 0xffffU;
  else
    return word & 0xffffU;
}

/// Value of a word: the code, times 8, is the place in the dictionary; the sign goes to the high half.
template <bool shared_dictionary>
__device__ double value_of(const double* dictionary, unsigned word) {
  const auto* at =
      reinterpret_cast<const double*>(reinterpret_cast<const char*>(dictionary) + ((word >> 13) & 0x3fff8U));
  double value;
  if constexpr (shared_dictionary)
    value = *at;
  else
    value = __ldg(at);
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(word & 0x80000000U),
                          __double2loint(value));
}

/// One or more packed vectors, by ordinary loads.
template <int width_>
struct LoadedVectors {
  static constexpr int width = width_;
  const double* __restrict__ x;

  __device__ void gather(unsigned column, double (&elements)[width]) const {
    cuda::gather<width>(x, static_cast<std::int32_t>(column), elements);
  }
};

/// One vector, by the texture units.
struct TextureVector {
  static constexpr int width = 1;
  cudaTextureObject_t x;

  __device__ void gather(unsigned column, double (&elements)[1]) const {
    const int2 halves = tex1Dfetch<int2>(x, static_cast<int>(column));
    elements[0] = __hiloint2double(halves.y, halves.x);
  }
};

/// Adds `chunks` chunks of a row; all of x is asked for before the first product.
template <int chunks, bool wide_jumps, bool shared_dictionary, class Vectors>
__device__ void add_chunks(const uint4 (&loaded)[chunks], unsigned& column, const double* dictionary,
                           const Vectors& x, double (&sums)[Vectors::width]) {
  constexpr int width = Vectors::width;
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
    x.gather(column, xs[at]);
  }
#pragma unroll
  for (int at = 0; at < 4 * chunks; ++at) {
    const double value = value_of<shared_dictionary>(dictionary, words[at]);
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] = fma(value, xs[at][k], sums[k]);
  }
}

/// The chunks at[0], at[32], ..., `left` of them: `chunks` at a time, those of the next turn on their way.
/// The last turn stands by itself, so that every load has registers of its own and none waits for the words
/// before it to be used; unrolled, the compiler would have fewer loads of x under way for want of registers.
template <int chunks, bool wide_jumps, bool shared_dictionary, class Vectors>
__device__ void add_coded(const uint4* at, int left, unsigned column, const double* dictionary,
                          const Vectors& x, double (&sums)[Vectors::width]) {
  if (left >= chunks) {
    uint4 loaded[chunks];
#pragma unroll
    for (int c = 0; c < chunks; ++c) loaded[c] = stream_load(at + c * warp_lanes);
#pragma unroll 1
    for (left -= chunks; left >= chunks; left -= chunks) {
      at += chunks * warp_lanes;
      uint4 following[chunks];
#pragma unroll
      for (int c = 0; c < chunks; ++c) following[c] = stream_load(at + c * warp_lanes);
      add_chunks<chunks, wide_jumps, shared_dictionary>(loaded, column, dictionary, x, sums);
#pragma unroll
      for (int c = 0; c < chunks; ++c) loaded[c] = following[c];
    }
    at += chunks * warp_lanes;
    add_chunks<chunks, wide_jumps, shared_dictionary>(loaded, column, dictionary, x, sums);
  }
  if constexpr (chunks > 1) {
    for (; left > 0; --left, at += warp_lanes) {
      const uint4 loaded[1] = {stream_load(at)};
      add_chunks<1, wide_jumps, shared_dictionary>(loaded, column, dictionary, x, sums);
    }
  }
}

template <class Vectors>
__device__ void add_remainder(const CodedSlices& a, std::int64_t first, int slots, int lane, const Vectors& x,
                              double (&sums)[Vectors::width]) {
  constexpr int width = Vectors::width;
  const std::int64_t at = first * warp_lanes + lane;
  const double* values = a.remainder_values + at;
  const std::int32_t* columns = a.remainder_columns + at;
#pragma unroll 2
  for (int slot = 0; slot < slots; ++slot, values += warp_lanes, columns += warp_lanes) {
    const Nonzeros<1> loaded = stream_load(columns, values, std::integral_constant<int, 1>{});
    double xs[width];
    x.gather(static_cast<unsigned>(loaded.columns[0]), xs);
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] = fma(loaded.values[0], xs[k], sums[k]);
  }
}

/// Where part `part` of 2^log2_parts begins among `count` elements, as CodedMatrix cuts them. A slice has
/// fewer than 2^30 of them.
__device__ inline int part_begin(int count, int part, int log2_parts) {
  return static_cast<int>(static_cast<std::int64_t>(count) * part >> log2_parts);
}

/// Adds what one warp has of a slice: its part of the chunks and of the remainder. Nothing that only the
/// remainder needs is held in registers while the chunks are added.
template <bool wide_jumps, bool shared_dictionary, class Vectors>
__device__ void add_slice(const CodedSlices& a, int slice, int part, int log2_parts, int lane,
                          const double* dictionary, const Vectors& x, double (&sums)[Vectors::width]) {
  {
    const std::int64_t first = __ldg(a.chunk_offsets + slice);
    const auto chunks = static_cast<int>(__ldg(a.chunk_offsets + slice + 1) - first);
    const int from = part_begin(chunks, part, log2_parts);
    const int to = part_begin(chunks, part + 1, log2_parts);
    const int base = slice * coded_parts + (part << (log2_coded_parts - log2_parts));
    const auto column = static_cast<unsigned>(__ldg(a.bases + std::int64_t{base} * warp_lanes + lane));
    constexpr int chunks_at_once = Vectors::width == 1 ? 2 : 1;
    add_coded<chunks_at_once, wide_jumps, shared_dictionary>(a.words + (first + from) * warp_lanes + lane,
                                                             to - from, column, dictionary, x, sums);
  }
  const std::int64_t first = __ldg(a.remainder_offsets + slice);
  const auto slots = static_cast<int>(__ldg(a.remainder_offsets + slice + 1) - first);
  const int from = part_begin(slots, part, log2_parts);
  const int to = part_begin(slots, part + 1, log2_parts);
  add_remainder(a, first + from, to - from, lane, x, sums);
}

/// y = A x or y += A x for packed vectors x; the first `num_written` columns of y are written.
///
/// A warp has one part of a slice, a lane one row; 2^log2_parts warps make a group. The last part to finish
/// does not matter: partial sums are added in the order of the parts.
/// @param next_slice  0; the first slice that no block has taken
template <bool wide_jumps, bool shared_dictionary, class Vectors>
__global__ void __launch_bounds__(largest_block, 1)
    coded_kernel(CodedSlices a, int log2_parts, Vectors x, double* __restrict__ y, std::int64_t y_stride,
                 int num_written, ProductUpdate update, unsigned* next_slice) {
  constexpr int width = Vectors::width;
  extern __shared__ double shared[];
  __shared__ unsigned next[2];
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int num_parts = 1 << log2_parts;
  const int part = warp & (num_parts - 1);
  const int group = warp >> log2_parts;
  const int num_groups = static_cast<int>(blockDim.x) / warp_lanes >> log2_parts;
  const double* dictionary = shared_dictionary ? shared : a.dictionary;
  if constexpr (shared_dictionary) {
    for (int code = static_cast<int>(threadIdx.x); code < a.num_codes; code += static_cast<int>(blockDim.x)) {
      shared[code] = a.dictionary[code];
    }
  }
  if (threadIdx.x == 0) next[0] = atomicAdd(next_slice, static_cast<unsigned>(num_groups));
  __syncthreads();

  const auto num_slices = static_cast<int>(a.num_slices);  // < 2^26
  int first_slice = static_cast<int>(next[0]);
  for (int turn = 0; first_slice < num_slices; turn ^= 1) {
    const int slice = first_slice + group;
    double sums[width] = {};
    if (threadIdx.x == 0) next[turn ^ 1] = atomicAdd(next_slice, static_cast<unsigned>(num_groups));
    if (slice < num_slices) {
      add_slice<wide_jumps, shared_dictionary>(a, slice, part, log2_parts, lane, dictionary, x, sums);
    }
    double* const partial_sums =
        shared + (shared_dictionary ? a.num_codes : 0) + group * (num_parts - 1) * width * warp_lanes + lane;
    __syncthreads();  // The partial sums of the turn before have been added up.
    if (part > 0) {
#pragma unroll
      for (int k = 0; k < width; ++k) partial_sums[((part - 1) * width + k) * warp_lanes] = sums[k];
    }
    __syncthreads();
    if (part == 0 && slice < num_slices) {
      const std::int32_t row = __ldg(a.permutation + std::int64_t{slice} * warp_lanes + lane);
#pragma unroll
      for (int k = 0; k < width; ++k) {
        for (int other = 0; other < num_parts - 1; ++other) {
          sums[k] += partial_sums[(other * width + k) * warp_lanes];
        }
        if (row >= 0 && k < num_written) put(sums[k], update, y[k * y_stride + row]);
      }
    }
    first_slice = static_cast<int>(next[turn ^ 1]);
  }
}

}  // namespace cisolve::cuda
