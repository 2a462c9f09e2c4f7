// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/matrix_units.cuh"

namespace cisolve::cuda::direct {
namespace {

constexpr int warp_size = 32;
constexpr int factor_padding = 4;  // rows of factors then start in different banks

/// What a block of threads holds in shared memory.
struct Scratch {
  double* t;
  double* factors;      // [most_links][most_pairs + factor_padding]
  const double** rows;  // [most_links]
  double* y;            // [most_columns]
};

/// Elements of x that the products of a thread with the next link_step excitations need: two columns.
struct Operands {
  double values[4];
  __device__ void load(const double* const* rows, int first, int column, int next_column) {
    const double* a = rows[first];
    const double* b = rows[first + 4];
    values[0] = __ldg(a + column);
    values[1] = __ldg(a + next_column);
    values[2] = __ldg(b + column);
    values[3] = __ldg(b + next_column);
  }
};

/// t(rs, columns of x) for 8 * tiles pairs rs. Warps share out columns, 16 at a time.
template <int tiles>
__device__ void sum_excitations(const Scratch& s, int num_links, int num_pairs, int stride) {
  const int lane = threadIdx.x % warp_size;
  const int group = lane / 4;
  const int in_group = lane % 4;
  constexpr int ld = 8 * tiles + factor_padding;
  const int t_stride = stride + 2;
  for (int first = threadIdx.x / warp_size * 16; first < stride; first += blockDim.x / warp_size * 16) {
    const int column = first + group;
    const bool has_next = column + 8 < stride;
    const int next_column = has_next ? column + 8 : column;
    double sums[tiles][4] = {};
    Operands now;
    now.load(s.rows, in_group, column, next_column);
    for (int link = 0; link < num_links; link += link_step) {
      Operands next = now;
      if (link + link_step < num_links) next.load(s.rows, link + link_step + in_group, column, next_column);
      const double* factors = s.factors + (link + in_group) * ld + group;
#pragma unroll
      for (int k = 0; k < tiles; ++k) multiply_add(sums[k], now.values, factors[8 * k], factors[4 * ld + 8 * k]);
      now = next;
    }
#pragma unroll
    for (int k = 0; k < tiles; ++k) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int pair = 8 * k + 2 * in_group + j;
        if (pair >= num_pairs) continue;
        s.t[pair * t_stride + column] = sums[k][j];
        if (has_next) s.t[pair * t_stride + next_column] = sums[k][2 + j];
      }
    }
  }
}

__device__ double with_sign(double value, unsigned sign_bit) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign_bit << 31), __double2loint(value));
}

/// The factors of a chunk and the rows that they multiply. Every warp takes some excitations, a lane per pair.
__device__ void load_links(const OppositeTables& a, const Block& block, const Chunk& chunk, int string,
                           const double* x, std::int64_t first, int num_links, bool itself, const Scratch& s) {
  const int lane = threadIdx.x % warp_size;
  const int width = (chunk.num_pairs + 7) / 8 * 8;
  const int padded = (num_links + link_step - 1) / link_step * link_step;
  const Pair pair = lane < chunk.num_pairs ? a.pairs[chunk.first_pair + lane] : Pair{0, -1};
  const double* source = x + chunk.source;
  for (int k = threadIdx.x / warp_size; k < padded; k += blockDim.x / warp_size) {
    const bool is_self = itself && k == num_links - 1;
    // Padding multiplies some row by zero.
    const int at = k < num_links ? k : 0;
    const Link link = is_self || (itself && num_links == 1) ? Link{block.first_row + string, self_code}
                                                           : a.links[first + at];
    double factor = 0.0;
    if (k < num_links && lane < chunk.num_pairs) {
      if (link.code == self_code) {
        if (pair.coulomb_row >= 0) {
          factor = a.coulomb[block.layout][pair.coulomb_row * a.coulomb_width[block.layout] + block.coulomb + string];
        }
      } else {
        const int pq = static_cast<int>(link.code / 2);
        factor = with_sign(__ldg(a.integrals + static_cast<std::int64_t>(pq) * a.num_all_pairs + pair.pair), link.code & 1);
        if (block.half != 0 && pair.coulomb_row != same_orbital && pq <= pair.pair) factor *= pq == pair.pair ? 0.5 : 0.0;
      }
    }
    if (lane < width) s.factors[k * (width + factor_padding) + lane] = factor;
    if (lane == 0) s.rows[k] = source + static_cast<std::int64_t>(link.row) * chunk.stride;
  }
  if (threadIdx.x == 0) s.t[static_cast<std::int64_t>(chunk.num_pairs) * (chunk.stride + 2)] = 0.0;  // what padding gathers
}

template <bool shared>
struct Entries;
template <>
struct Entries<true> {
  using Group = uint2;
  static __device__ double sum(const double* t, const Group& e) {
    return with_sign(t[(e.x & 0xffffU) >> 1], e.x) + with_sign(t[e.x >> 17], e.x >> 16) +
           with_sign(t[(e.y & 0xffffU) >> 1], e.y) + with_sign(t[e.y >> 17], e.y >> 16);
  }
};
template <>
struct Entries<false> {
  using Group = uint4;
  static __device__ double sum(const double* t, const Group& e) {
    return with_sign(t[e.x >> 1], e.x) + with_sign(t[e.y >> 1], e.y) + with_sign(t[e.z >> 1], e.z) +
           with_sign(t[e.w >> 1], e.w);
  }
};

/// y(i) += sum over the excitations rs of i. A column always belongs to the same thread.
template <bool shared>
__device__ void gather(const OppositeTables& a, const Chunk& chunk, int columns, const Scratch& s) {
  using Group = typename Entries<shared>::Group;
  const int lane = threadIdx.x % warp_size;
  const auto* entries = static_cast<const Group*>(a.entries) + chunk.first_entry + lane;
  for (int slice = threadIdx.x / warp_size; slice * slice_columns < columns; slice += blockDim.x / warp_size) {
    const int first = __ldg(a.slice_offsets + chunk.first_slice + slice);
    const int last = __ldg(a.slice_offsets + chunk.first_slice + slice + 1);
    double sum = 0.0;
#pragma unroll 2
    for (int at = first; at < last; at += slice_columns) sum += Entries<shared>::sum(s.t, __ldg(entries + at));
    const int column = slice * slice_columns + lane;
    if (column < columns) s.y[column] += sum;
  }
}

template <int threads, int blocks, bool shared>
__global__ void __launch_bounds__(threads, blocks)
opposite_kernel(const OppositeTables a, const Panels panels, double* tiles, std::int64_t tile_size) {
  extern __shared__ double memory[];
  Scratch s;
  s.rows = reinterpret_cast<const double**>(memory);
  s.factors = memory + a.most_links;
  s.y = s.factors + a.most_links * (most_pairs + factor_padding);
  s.t = shared ? s.y + a.most_columns : tiles + blockIdx.x * tile_size;
  const int lane = threadIdx.x % warp_size;
  const int first_column = threadIdx.x / warp_size * slice_columns + lane;
  for (int task = blockIdx.x; task < a.num_tasks; task += gridDim.x) {
    const Block block = a.blocks[a.tasks[task].block];
    const int string = a.tasks[task].string;
    const double* x = panels.x[block.layout];
    for (int column = first_column; column < block.columns; column += threads) s.y[column] = 0.0;
    for (int k = block.first_chunk; k < block.last_chunk; ++k) {
      const Chunk chunk = a.chunks[a.block_chunks[k]];
      const std::int64_t* list = a.link_offsets + chunk.first_list + block.first_ordinal + string;
      const std::int64_t first = list[0];
      const bool itself = chunk.within != 0 && block.half == 0;
      const int num_links = static_cast<int>(list[1] - first) + (itself ? 1 : 0);
      if (num_links == 0) continue;
      __syncthreads();  // t is free
      load_links(a, block, chunk, string, x, first, num_links, itself, s);
      __syncthreads();
      if (chunk.num_pairs <= 8) sum_excitations<1>(s, num_links, chunk.num_pairs, chunk.stride);
      else if (chunk.num_pairs <= 16) sum_excitations<2>(s, num_links, chunk.num_pairs, chunk.stride);
      else if (chunk.num_pairs <= 24) sum_excitations<3>(s, num_links, chunk.num_pairs, chunk.stride);
      else sum_excitations<4>(s, num_links, chunk.num_pairs, chunk.stride);
      __syncthreads();
      gather<shared>(a, chunk, block.columns, s);
    }
    double* y = panels.y[block.layout] + block.y + static_cast<std::int64_t>(string) * block.stride;
    for (int column = first_column; column < block.columns; column += threads) y[column] += s.y[column];
  }
}

template <int threads, int blocks, bool shared>
void launch(const Stream& stream, const OppositeTables& tables, const OppositeLaunch& l, const Panels& panels) {
  const auto kernel = opposite_kernel<threads, blocks, shared>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(l.shared_bytes)));
  const int grid = shared ? tables.num_tasks : std::min(tables.num_tasks, l.num_tiles);
  kernel<<<static_cast<unsigned>(grid), threads, l.shared_bytes, stream.get()>>>(tables, panels, l.tiles, l.tile_size);
  check(cudaGetLastError());
}

}  // namespace

void launch_opposite(const Stream& stream, const OppositeTables& tables, const OppositeLaunch& l, const Panels& panels) {
  if (tables.num_tasks == 0) return;
  if (!l.shared) launch<512, 1, false>(stream, tables, l, panels);
  else if (l.blocks_per_multiprocessor == 1) launch<512, 1, true>(stream, tables, l, panels);
  else if (l.blocks_per_multiprocessor == 2) launch<256, 2, true>(stream, tables, l, panels);
  else launch<256, 3, true>(stream, tables, l, panels);
}

}  // namespace cisolve::cuda::direct
