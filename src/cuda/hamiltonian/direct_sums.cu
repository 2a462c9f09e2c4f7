// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/matrix_units.cuh"
#include "cuda/hamiltonian/own_sums.cuh"

namespace cisolve::cuda::direct {
namespace {

/// What a block of threads holds in shared memory.
struct Scratch {
  double* t;
  double* y;      // [most_columns]
  double* links;  // of this phase and of the next: [most_links] rows of x, [most_factors] factors
  int most_links, most_factors;

  __device__ const double** rows(int turn) const {
    return reinterpret_cast<const double**>(links + turn * (most_links + most_factors));
  }
  __device__ double* factors(int turn) const { return links + turn * (most_links + most_factors) + most_links; }
};

/// The row that a block of threads works on.
struct Target {
  Block block;
  int string;
  const double* x;
};

/// The warps among which a piece of work is shared out.
struct Team {
  int warp, size;
};

__device__ double with_sign(double value, unsigned sign_bit) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign_bit << 31), __double2loint(value));
}

/// The factor of an excitation in t(rs): a lane per pair rs.
__device__ double factor_of(const OppositeTables& a, const Target& target, const Link& link, const Pair& pair) {
  const Block& block = target.block;
  if (link.code == self_code) {
    if (pair.coulomb_row < 0 || block.half != 0) return 0.0;
    return __ldg(a.coulomb[block.layout] + pair.coulomb_row * a.coulomb_width[block.layout] + block.coulomb + target.string);
  }
  const int pq = static_cast<int>(link.code / 2);
  double factor = with_sign(__ldg(a.integrals + static_cast<std::int64_t>(pq) * a.num_all_pairs + pair.pair), link.code & 1);
  if (block.half != 0 && pair.coulomb_row != same_orbital && pq <= pair.pair) factor *= pq == pair.pair ? 0.5 : 0.0;
  return factor;
}

/// Factors and rows of a phase. A warp takes some excitations at a time, its lanes the pairs: loads that wait for
/// others are issued for all of them before the first is used.
__device__ void load_links(const OppositeTables& a, const Target& target, const Phase& phase, const Team& team,
                           double* factors, const double** rows) {
  constexpr int at_a_time = 4;
  const int lane = threadIdx.x % warp_size;
  for (int first = team.warp * at_a_time; first < phase.num_links; first += team.size * at_a_time) {
    // All in the same step, and so of the same item.
    const Item item = a.items[a.step_items[phase.first_step + first / link_step]];
    const std::int64_t* list = a.link_offsets + item.first_list + target.block.first_ordinal + target.string;
    const std::int64_t begin = __ldg(list);
    const std::int64_t size = __ldg(list + 1) - begin;
    const int width = (item.num_pairs + 7) / 8 * 8;
    const Pair pair = lane < item.num_pairs ? a.pairs[item.first_pair + lane] : Pair{0, same_orbital};
    Link links[at_a_time];
    double values[at_a_time];
#pragma unroll
    for (int j = 0; j < at_a_time; ++j) {
      const int k = first + j - item.first_link;
      links[j] = k < size ? a.links[begin + k] : Link{0, self_code};  // padding: some row times zero
    }
#pragma unroll
    for (int j = 0; j < at_a_time; ++j) {
      const bool present = first + j - item.first_link < size && lane < item.num_pairs;
      values[j] = present ? factor_of(a, target, links[j], pair) : 0.0;
    }
#pragma unroll
    for (int j = 0; j < at_a_time; ++j) {
      const int k = first + j - item.first_link;
      if (lane < width) factors[item.factors + k * (width + factor_padding) + lane] = values[j];
      if (lane == 0) rows[first + j] = target.x + item.source + static_cast<std::int64_t>(links[j].row) * item.stride;
    }
  }
}

/// Elements of x that a thread multiplies in a step: those of two columns and two excitations.
struct Operands {
  double values[4];
};

/// Walks the steps of a warp's columns: all excitations of 16 columns, then the next 16.
struct Cursor {
  const double* const* rows;
  int num_links, stride, distance;  ///< distance between a warp's columns
  int column, link;

  /// Loads the operands of the step, if there is one, and goes to the next.
  __device__ void load(Operands& operands) {
    if (column >= stride) return;
    const double* a = rows[link];
    const double* b = rows[link + 4];
    const int next = column + 8 < stride ? column + 8 : column;
    operands.values[0] = __ldg(a + column);
    operands.values[1] = __ldg(a + next);
    operands.values[2] = __ldg(b + column);
    operands.values[3] = __ldg(b + next);
    link += link_step;
    if (link >= num_links) {
      link -= num_links;
      column += distance;
    }
  }
};

/// t(rs, columns of x) of an item with up to 8 * tiles pairs rs. Warps share out columns, 16 at a time.
template <int tiles>
__device__ void sum_item(const Item& item, const double* all_factors, const double* const* rows, double* t,
                         const Team& team) {
  const int lane = threadIdx.x % warp_size;
  const int group = lane / 4;
  const int in_group = lane % 4;
  constexpr int ld = 8 * tiles + factor_padding;
  const int to_next_pair = item.stride + t_padding;
  const double* factors = all_factors + item.factors + in_group * ld + group;
  const int first_column = team.warp * 16 + group;
  // in_group stays below link_step: links wrap as if it were 0.
  Cursor cursor{rows + item.first_link + in_group, item.num_links, item.stride, team.size * 16, first_column, 0};
  Operands now{}, next{}, after{};
  cursor.load(now);
  cursor.load(next);
  for (int column = first_column; column < item.stride; column += team.size * 16) {
    double sums[tiles][4] = {};
    for (int link = 0; link < item.num_links; link += link_step) {
      cursor.load(after);
      const double* f = factors + link * ld;
#pragma unroll
      for (int k = 0; k < tiles; ++k) multiply_add(sums[k], now.values, f[8 * k], f[4 * ld + 8 * k]);
      now = next;
      next = after;
    }
    const bool has_next = column + 8 < item.stride;
    double* to = t + item.t + column;
#pragma unroll
    for (int k = 0; k < tiles; ++k) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int pair = 8 * k + 2 * in_group + j;
        if (pair >= item.num_pairs) continue;
        to[pair * to_next_pair] = sums[k][j];
        if (has_next) to[pair * to_next_pair + 8] = sums[k][2 + j];
      }
    }
  }
}

/// All t of a phase. Items start with different warps, so that they keep all of them busy together.
__device__ void sum_items(const OppositeTables& a, const Phase& phase, const double* factors, const double* const* rows,
                          double* t, Team team) {
  for (int k = phase.first_item; k < phase.last_item; ++k) {
    const Item item = a.items[k];
    if (item.num_pairs <= 8) sum_item<1>(item, factors, rows, t, team);
    else if (item.num_pairs <= 16) sum_item<2>(item, factors, rows, t, team);
    else if (item.num_pairs <= 24) sum_item<3>(item, factors, rows, t, team);
    else sum_item<4>(item, factors, rows, t, team);
    team.warp = (team.warp + team.size - (item.stride + 15) / 16 % team.size) % team.size;
  }
}

template <bool shared>
struct Entries;
template <>
struct Entries<true> {
  using Group = uint2;
  static __device__ double sum(const double* t, const Group& e) {
    return (with_sign(t[(e.x & 0xffffU) >> 1], e.x) + with_sign(t[e.x >> 17], e.x >> 16)) +
           (with_sign(t[(e.y & 0xffffU) >> 1], e.y) + with_sign(t[e.y >> 17], e.y >> 16));
  }
};
template <>
struct Entries<false> {
  using Group = uint4;
  static __device__ double sum(const double* t, const Group& e) {
    return (with_sign(t[e.x >> 1], e.x) + with_sign(t[e.y >> 1], e.y)) +
           (with_sign(t[e.z >> 1], e.z) + with_sign(t[e.w >> 1], e.w));
  }
};

/// y(i) += sum over the excitations rs of i. A column belongs to one thread.
template <bool shared>
__device__ void gather(const OppositeTables& a, const Phase& phase, int columns, const double* t, double* y,
                       const Team& team) {
  using Group = typename Entries<shared>::Group;
  const int lane = threadIdx.x % warp_size;
  const auto* entries = static_cast<const Group*>(a.entries) + phase.first_entry + lane;
  const std::int32_t* offsets = a.slice_offsets + phase.first_slice;
  for (int slice = team.warp; slice * slice_columns < columns; slice += team.size) {
    const int last = __ldg(offsets + slice + 1);
    double sum = 0.0;
    for (int at = __ldg(offsets + slice); at < last; at += 4 * slice_columns) {
      Group groups[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (at + j * slice_columns < last) groups[j] = __ldg(entries + at + j * slice_columns);
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (at + j * slice_columns < last) sum += Entries<shared>::sum(t, groups[j]);
      }
    }
    const int column = slice * slice_columns + lane;
    if (column < columns) y[column] += sum;
  }
}

/// Same-spin excitations of a row: warps share out columns and, where there are more warps, excitations.
__device__ void sum_own(const OwnTables& a, const Target& target, const Scratch& s, const Team& team) {
  const Block& block = target.block;
  const int lane = threadIdx.x % warp_size;
  const int tiles = (block.stride + 2 * warp_size - 1) / (2 * warp_size);
  const int parts = max(team.size / tiles, 1);
  for (int k = team.warp; k < tiles * parts; k += team.size) {
    const int column = 2 * (k % tiles * warp_size + lane);
    const bool inside = column < block.stride;
    const double2 sum = own_sum(a, block.layout, block.minor_class, block.first_ordinal + target.string,
                                target.x + block.panel + (inside ? column : 0), block.stride, k / tiles, parts);
    if (inside) {
      double* to = s.t + k / tiles * block.stride + column;
      to[0] = sum.x;
      to[1] = sum.y;
    }
  }
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += static_cast<int>(blockDim.x)) {
    double sum = 0.0;
    for (int part = 0; part < parts; ++part) sum += s.t[part * block.stride + column];
    s.y[column] = sum;
  }
  __syncthreads();
}

/// A row of y. While most warps work on a phase, the others load what the next one needs.
template <int consumers, int producers, bool shared>
__device__ void sum_row(const OppositeTables& a, const OwnTables& own, const Target& target, const Scratch& s,
                        double* y) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Block& block = target.block;
  const Team all{warp, consumers + producers};
  const bool consumes = warp < consumers;
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += static_cast<int>(blockDim.x)) s.y[column] = 0.0;
  if (block.first_phase < block.last_phase) load_links(a, target, a.phases[block.first_phase], all, s.factors(0), s.rows(0));
  __syncthreads();
  if (block.own != 0) sum_own(own, target, s, all);
  int turn = 0;
  for (int k = block.first_phase; k < block.last_phase; ++k, turn ^= 1) {
    const Phase phase = a.phases[k];
    if (consumes) {
      sum_items(a, phase, s.factors(turn), s.rows(turn), s.t, {warp, consumers});
      if (threadIdx.x == 0) s.t[phase.nothing] = 0.0;
    } else if (k + 1 < block.last_phase) {
      load_links(a, target, a.phases[k + 1], {warp - consumers, producers}, s.factors(turn ^ 1), s.rows(turn ^ 1));
    }
    __syncthreads();
    if (consumes) gather<shared>(a, phase, block.columns, s.t, s.y, {warp, consumers});
    __syncthreads();
  }
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += static_cast<int>(blockDim.x)) {
    y[column] = block.own != 0 ? s.y[column] : y[column] + s.y[column];
  }
}

template <int consumers, int producers, int blocks, bool shared>
__global__ void __launch_bounds__((consumers + producers) * warp_size, blocks)
sums_kernel(const __grid_constant__ OppositeTables a, const __grid_constant__ OwnTables own,
            const __grid_constant__ Panels panels, double* tiles, std::int64_t tile_size,
            int row_blocks) {
  extern __shared__ double memory[];
  constexpr int warps = consumers + producers;
  if (static_cast<int>(blockIdx.x) >= row_blocks) {
    const std::int64_t warp = static_cast<std::int64_t>(static_cast<int>(blockIdx.x) - row_blocks) * warps + threadIdx.x / warp_size;
    if (warp < own.num_warps) sum_segment(own, panels, warp);
    return;
  }
  double* y = memory + 2 * (a.most_links + a.most_factors);
  const Scratch s{shared ? y + a.most_columns : tiles + blockIdx.x * tile_size, y, memory, a.most_links, a.most_factors};
  for (int task = static_cast<int>(blockIdx.x); task < a.num_tasks; task += row_blocks) {
    const RowTask row = a.tasks[task];
    const Target target{a.blocks[row.block], row.string, panels.x[a.blocks[row.block].layout]};
    sum_row<consumers, producers, shared>(a, own, target, s,
                                          panels.y[target.block.layout] + target.block.y +
                                              static_cast<std::int64_t>(row.string) * target.block.stride);
  }
}

template <int consumers, int producers, int blocks, bool shared>
void launch(const Stream& stream, const OppositeTables& opposite, const OwnTables& own, const SumsLaunch& l,
            const Panels& panels) {
  constexpr int warps = consumers + producers;
  const auto kernel = sums_kernel<consumers, producers, blocks, shared>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(l.shared_bytes)));
  const int row_blocks = shared ? opposite.num_tasks : std::min(opposite.num_tasks, l.num_tiles);
  const std::int64_t grid = row_blocks + (own.num_warps + warps - 1) / warps;
  if (grid == 0) return;
  kernel<<<static_cast<unsigned>(grid), warps * warp_size, l.shared_bytes, stream.get()>>>(opposite, own, panels, l.tiles,
                                                                                          l.tile_size, row_blocks);
  check(cudaGetLastError());
}

}  // namespace

void launch_sums(const Stream& stream, const OppositeTables& opposite, const OwnTables& own, const SumsLaunch& l,
                 const Panels& panels) {
  if (!l.shared) launch<16, 4, 1, false>(stream, opposite, own, l, panels);
  else if (l.blocks_per_multiprocessor == 1) launch<16, 4, 1, true>(stream, opposite, own, l, panels);
  else if (l.blocks_per_multiprocessor == 2) launch<8, 2, 2, true>(stream, opposite, own, l, panels);
  else launch<5, 1, 3, true>(stream, opposite, own, l, panels);
}

}  // namespace cisolve::cuda::direct
