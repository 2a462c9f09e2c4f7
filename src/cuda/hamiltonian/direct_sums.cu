// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/matrix_units.cuh"

namespace cisolve::cuda::direct {
namespace {

constexpr int warp_size = 32;

/// What a block of threads holds in shared memory; t and y in device memory where they do not fit.
struct Scratch {
  /// Of a phase.
  struct Links {
    Item* items;          // [most_items], num_links as the row has them
    const double** rows;  // [most_links] of x
    double* factors;      // [most_factors]
  };
  double* t;
  double* y;          // [most_columns]
  double* all_links;  // of this phase and of the next
  int most_items, most_links, most_factors;

  __device__ Links links(int turn) const {
    constexpr int item_size = sizeof(Item) / sizeof(double);
    double* first = all_links + turn * (item_size * most_items + most_links + most_factors);
    double* rows = first + item_size * most_items;
    return {reinterpret_cast<Item*>(first), reinterpret_cast<const double**>(rows), rows + most_links};
  }
};

/// The row that a block of threads works on.
struct Target {
  Block block;
  int string;
  const double* x;
};

__device__ double with_sign(double value, unsigned sign_bit) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign_bit << 31), __double2loint(value));
}

/// The factor of an excitation in t(rs): a lane per pair rs.
__device__ double factor_of(const OppositeTables& a, const Target& target, const Link& link,
                            const Pair& pair) {
  const Block& block = target.block;
  if (link.code == self_code) {
    if (pair.coulomb_row < 0) return 0.0;
    return __ldg(a.coulomb[block.layout] + pair.coulomb_row * a.coulomb_width[block.layout] + block.coulomb +
                 target.string);
  }
  const int pq = static_cast<int>(link.code / 2);
  double factor = with_sign(__ldg(a.integrals + static_cast<std::int64_t>(pq) * a.num_all_pairs + pair.pair),
                            link.code & 1);
  if (block.half != 0 && pair.coulomb_row != same_orbital && pq <= pair.pair)
    factor *= pq == pair.pair ? 0.5 : 0.0;
  return factor;
}

/// Items, factors and rows of a phase. A warp takes some excitations at a time, its lanes the pairs: loads that wait
/// for others are issued for all of them before the first is used. The last warps begin, which have fewer columns.
template <int warps>
__device__ void load_links(const OppositeTables& a, const Target& target, const Phase& phase,
                           const Scratch::Links& to) {
  constexpr int at_a_time = 4;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = warps - 1 - static_cast<int>(threadIdx.x) / warp_size;
  for (int first = warp * at_a_time; first < phase.num_links; first += warps * at_a_time) {
    // All in the same step, and so of the same item.
    const int number = a.step_items[phase.first_step + first / link_step];
    Item item = a.items[number];
    const Range range = a.ranges[item.first_range + target.string];
    item.num_links = max((range.size + link_step - 1) / link_step, 1) * link_step;
    if (first == item.first_link && lane == 0) to.items[number - phase.first_item] = item;
    if (first - item.first_link >= item.num_links) continue;
    const int width = (item.num_pairs + 7) / 8 * 8;
    const Pair pair = lane < item.num_pairs ? a.pairs[item.first_pair + lane] : Pair{0, same_orbital};
    Link links[at_a_time];
    double values[at_a_time];
#pragma unroll
    for (int j = 0; j < at_a_time; ++j) {
      const int k = first + j - item.first_link;
      links[j] =
          k < range.size ? a.links[range.first + k] : Link{0, self_code};  // padding: some row times zero
    }
#pragma unroll
    for (int j = 0; j < at_a_time; ++j) {
      const bool present = first + j - item.first_link < range.size && lane < item.num_pairs;
      values[j] = present ? factor_of(a, target, links[j], pair) : 0.0;
    }
#pragma unroll
    for (int j = 0; j < at_a_time; ++j) {
      const int k = first + j - item.first_link;
      if (lane < width) to.factors[item.factors + k * (width + factor_padding) + lane] = values[j];
      if (lane == 0)
        to.rows[first + j] = target.x + item.source + static_cast<std::int64_t>(links[j].row) * item.stride;
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
    const double* a = rows[link] + column;
    const double* b = rows[link + 4] + column;
    const int next = column + 8 < stride ? 8 : 0;
    operands.values[0] = __ldg(a);
    operands.values[1] = __ldg(a + next);
    operands.values[2] = __ldg(b);
    operands.values[3] = __ldg(b + next);
    link += link_step;
    if (link >= num_links) {
      link = 0;
      column += distance;
    }
  }
};

/// t(rs, columns of x) of an item with up to 8 * tiles pairs rs. Warps share out columns, 16 at a time. Operands are
/// loaded `depth` steps ahead, into registers that the last step has just used.
template <int warps, int tiles, int depth>
__device__ void sum_item(const Item& item, const Scratch::Links& links, double* t, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  constexpr int to_next = warps * 16;
  const int group = lane / 4;
  const int in_group = lane % 4;
  constexpr int ld = 8 * tiles + factor_padding;
  const int to_next_pair = item.stride + t_padding;
  const double* const factors = links.factors + item.factors + in_group * ld + group;
  int column = warp * 16 + group;
  Cursor cursor{links.rows + item.first_link + in_group, item.num_links, item.stride, to_next, column, 0};
  const double* const end = factors + item.num_links * ld;
  const double* f = factors;
  double sums[tiles][4] = {};
  // Whether there are more.
  const auto step = [&](Operands& operands) {
#pragma unroll
    for (int k = 0; k < tiles; ++k) multiply_add(sums[k], operands.values, f[8 * k], f[4 * ld + 8 * k]);
    cursor.load(operands);
    f += link_step * ld;
    if (f != end) return true;
    f = factors;
    const bool has_next = column + 8 < item.stride;
    double* to = t + item.t + column + 2 * in_group * to_next_pair;
#pragma unroll
    for (int k = 0; k < tiles; ++k) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if (8 * k + 2 * in_group + j < item.num_pairs) {
          to[(8 * k + j) * to_next_pair] = sums[k][j];
          if (has_next) to[(8 * k + j) * to_next_pair + 8] = sums[k][2 + j];
        }
        sums[k][j] = 0.0;
        sums[k][2 + j] = 0.0;
      }
    }
    column += to_next;
    return column < item.stride;
  };
  Operands operands[depth];
#pragma unroll
  for (int k = 0; k < depth; ++k) cursor.load(operands[k]);
  for (bool more = true; more;) {
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      if (more) more = step(operands[k]);
    }
  }
}

/// All t of a phase. Items start with different warps, so that they keep all of them busy together.
template <int warps, int depth>
__device__ void sum_items(const Phase& phase, const Scratch::Links& links, double* t) {
  int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Item* const end = links.items + (phase.last_item - phase.first_item);
  for (const Item* item = links.items; item != end; ++item) {
    const int tiles = (item->stride + 15) / 16;
    if (warp < tiles) {
      if (item->num_pairs <= 8)
        sum_item<warps, 1, depth>(*item, links, t, warp);
      else if (item->num_pairs <= 16)
        sum_item<warps, 2, depth>(*item, links, t, warp);
      else if (item->num_pairs <= 24)
        sum_item<warps, 3, depth>(*item, links, t, warp);
      else
        sum_item<warps, 4, depth>(*item, links, t, warp);
    }
    warp = (warp + warps - tiles % warps) % warps;
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
template <int warps, bool shared>
__device__ void gather(const OppositeTables& a, const Phase& phase, int columns, const double* t, double* y) {
  using Group = typename Entries<shared>::Group;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const auto* entries = static_cast<const Group*>(a.entries) + phase.first_entry + lane;
  const std::int32_t* offsets = a.slice_offsets + phase.first_slice;
  for (int slice = static_cast<int>(threadIdx.x) / warp_size; slice * slice_columns < columns;
       slice += warps) {
    const int last = __ldg(offsets + slice + 1);
    double sum = 0.0;
#pragma unroll 2
    for (int at = __ldg(offsets + slice); at < last; at += slice_columns)
      sum += Entries<shared>::sum(t, __ldg(entries + at));
    const int column = slice * slice_columns + lane;
    if (column < columns) y[column] += sum;
  }
}

/// y = same-spin excitations of a row: warps share out columns and, where there are more warps, excitations.
template <int warps>
__device__ void sum_own(const OppositeTables& a, const Target& target, const Scratch& s) {
  const Block& block = target.block;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int tiles = (block.stride + 2 * warp_size - 1) / (2 * warp_size);
  const int parts = max(warps / tiles, 1);
  const std::int64_t* offsets = a.own_offsets + block.first_own + target.string;
  const std::int64_t first = offsets[0];
  const auto size = static_cast<int>(offsets[1] - first);
  const double* values = a.own_values + first;
  const std::int32_t* rows = a.own_rows + first;
  for (int k = static_cast<int>(threadIdx.x) / warp_size; k < tiles * parts; k += warps) {
    const int column = 2 * (k % tiles * warp_size + lane);
    const bool inside = column < block.stride;
    const double* x = target.x + block.panel + (inside ? column : 0);
    double2 sum{0.0, 0.0};
#pragma unroll 8
    for (int link = k / tiles; link < size; link += parts) {
      const double value = __ldg(values + link);
      const auto from = __ldg(
          reinterpret_cast<const double2*>(x + static_cast<std::int64_t>(__ldg(rows + link)) * block.stride));
      sum.x += value * from.x;
      sum.y += value * from.y;
    }
    if (inside) {
      double* to = s.t + k / tiles * block.stride + column;
      to[0] = sum.x;
      to[1] = sum.y;
    }
  }
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += warps * warp_size) {
    double sum = 0.0;
    for (int part = 0; part < parts; ++part) sum += s.t[part * block.stride + column];
    s.y[column] = sum;
  }
}

/// A row of y. Warps that have loaded their share of the next phase's links go on to work on this phase.
template <int warps, bool shared, int depth>
__device__ void sum_row(const OppositeTables& a, const Target& target, const Scratch& s, double* y) {
  const Block& block = target.block;
  const bool writes = block.first_own >= 0;
  if (block.first_phase < block.last_phase)
    load_links<warps>(a, target, a.phases[block.first_phase], s.links(0));
  if (writes) {
    sum_own<warps>(a, target, s);
  } else {
    for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += warps * warp_size)
      s.y[column] = 0.0;
  }
  __syncthreads();
  int turn = 0;
  for (int k = block.first_phase; k < block.last_phase; ++k, turn ^= 1) {
    const Phase phase = a.phases[k];
    if (k + 1 < block.last_phase) load_links<warps>(a, target, a.phases[k + 1], s.links(turn ^ 1));
    sum_items<warps, depth>(phase, s.links(turn), s.t);
    if (threadIdx.x == 0) s.t[phase.nothing] = 0.0;
    __syncthreads();
    gather<warps, shared>(a, phase, block.columns, s.t, s.y);
    __syncthreads();
  }
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += warps * warp_size) {
    y[column] = writes ? s.y[column] : y[column] + s.y[column];
  }
}

template <int warps, int blocks, bool shared>
__global__ void __launch_bounds__(warps* warp_size, blocks)
    sums_kernel(const __grid_constant__ OppositeTables a, const __grid_constant__ Panels panels,
                double* tiles, std::int64_t tile_size) {
  extern __shared__ double memory[];
  // With few registers for a thread there are more threads to hide loads behind.
  constexpr int depth = warps * blocks > 16 ? 1 : 3;
  constexpr int item_size = sizeof(Item) / sizeof(double);
  double* y = shared ? memory + 2 * (item_size * a.most_items + a.most_links + a.most_factors)
                     : tiles + blockIdx.x * tile_size;
  const Scratch s{y + a.most_columns, y, memory, a.most_items, a.most_links, a.most_factors};
  for (int task = static_cast<int>(blockIdx.x); task < a.num_tasks; task += static_cast<int>(gridDim.x)) {
    const RowTask row = a.tasks[task];
    const Target target{a.blocks[row.block], row.string, panels.x[a.blocks[row.block].layout]};
    sum_row<warps, shared, depth>(a, target, s,
                                  panels.y[target.block.layout] + target.block.y +
                                      static_cast<std::int64_t>(row.string) * target.block.stride);
  }
}

template <int warps, int blocks, bool shared>
void launch(const Stream& stream, const OppositeTables& tables, const SumsLaunch& l, const Panels& panels) {
  const auto kernel = sums_kernel<warps, blocks, shared>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(l.shared_bytes)));
  const auto grid =
      static_cast<unsigned>(shared ? tables.num_tasks : std::min(tables.num_tasks, l.num_tiles));
  kernel<<<grid, warps * warp_size, l.shared_bytes, stream.get()>>>(tables, panels, l.tiles, l.tile_size);
  check(cudaGetLastError());
}

}  // namespace

void launch_sums(const Stream& stream, const OppositeTables& tables, const SumsLaunch& l,
                 const Panels& panels) {
  if (tables.num_tasks == 0) return;
  if (!l.shared)
    launch<16, 1, false>(stream, tables, l, panels);
  else if (l.blocks_per_multiprocessor == 1)
    launch<16, 1, true>(stream, tables, l, panels);
  else
    launch<16, 2, true>(stream, tables, l, panels);
}

}  // namespace cisolve::cuda::direct
