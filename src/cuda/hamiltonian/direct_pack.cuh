// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_pipeline.h>

#include "cuda/hamiltonian/direct_kernels.hpp"

// What a block of threads needs of a phase for a row, side by side.
namespace cisolve::cuda::direct {

__device__ inline int num_threads() { return static_cast<int>(blockDim.x); }
__device__ inline int num_warps() { return num_threads() / warp_size; }

/// A pack, of which `phase` and what is made from it tell the extent.
struct Pack {
  Phase* phase;
  Item* items;
  std::int64_t* rows;
  double* factors;

  __device__ Pack(double* memory, std::int32_t num_items, std::int32_t num_links)
      : phase(reinterpret_cast<Phase*>(memory)), items(reinterpret_cast<Item*>(phase + 1)),
        rows(reinterpret_cast<std::int64_t*>(items + num_items)),
        factors(reinterpret_cast<double*>(rows + num_links)) {}
  /// One that is there.
  __device__ explicit Pack(double* memory)
      : Pack(memory, reinterpret_cast<Phase*>(memory)->num_items,
             reinterpret_cast<Phase*>(memory)->num_links) {}
};

/// The row that a block of threads works on.
struct Target {
  Block block;
  int string;
  const double* x;
};

__device__ inline double with_sign(double value, unsigned sign_bit) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign_bit << 31), __double2loint(value));
}

/// A string of the major spin, whose row a block of threads works on.
struct MajorString {
  int layout;
  std::int32_t coulomb, string;  ///< as in Block, RowTask
  bool half;
};

/// The factor of an excitation in t(rs): a lane per pair rs.
__device__ inline double factor_of(const ExcitationTables& a, const MajorString& major, const Link& link,
                                   const Pair& pair) {
  if (link.code == self_code) {
    if (pair.coulomb_row < 0) return 0.0;
    return __ldg(a.coulomb[major.layout] + pair.coulomb_row * a.coulomb_width[major.layout] + major.coulomb +
                 major.string);
  }
  const int pq = static_cast<int>(link.code / 2);
  double factor = with_sign(__ldg(a.integrals + static_cast<std::int64_t>(pq) * a.num_all_pairs + pair.pair),
                            link.code & 1);
  if (major.half && pair.coulomb_row != same_orbital && pq <= pair.pair)
    factor *= pq == pair.pair ? 0.5 : 0.0;
  return factor;
}

/// Excitations whose factors a warp makes at a time.
inline constexpr int factors_at_a_time = 4;

/// Where factors of an item go: [links][ld], and where in x the rows of the sources begin.
struct FactorsTo {
  double* factors;
  std::int64_t* rows;
  int ld;
};

/// Makes factors_at_a_time rows of factors from excitation `first` on; lanes are pairs. Loads that wait for others are
/// issued for all of them before the first is used. Beyond the last excitation there is some row times zero.
/// @param item  an Item or TiledItem
template <class AnyItem>
__device__ inline void make_factors(const ExcitationTables& a, const MajorString& major, const AnyItem& item,
                                    const Range& range, int first, const FactorsTo& to) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  Link links[factors_at_a_time];
#pragma unroll
  for (int j = 0; j < factors_at_a_time; ++j)
    links[j] = first + j < range.size ? a.links[range.first + first + j] : Link{0, self_code};
  const int width = to.ld - factor_padding;
  for (int at = lane; at < width; at += warp_size) {
    const Pair pair = at < item.num_pairs ? a.pairs[item.first_pair + at] : Pair{0, same_orbital};
    double values[factors_at_a_time];
#pragma unroll
    for (int j = 0; j < factors_at_a_time; ++j)
      values[j] = first + j < range.size && at < item.num_pairs ? factor_of(a, major, links[j], pair) : 0.0;
#pragma unroll
    for (int j = 0; j < factors_at_a_time; ++j) to.factors[(first + j) * to.ld + at] = values[j];
  }
  if (lane != 0) return;
#pragma unroll
  for (int j = 0; j < factors_at_a_time; ++j)
    to.rows[first + j] = item.source + static_cast<std::int64_t>(links[j].row) * item.stride;
}

/// Makes a pack. A warp takes some excitations at a time.
__device__ inline void make_pack(const OppositeTables& a, const Target& target, const Phase& phase,
                                 double* memory) {
  const Pack to(memory, phase.num_items, phase.num_links);
  if (threadIdx.x < sizeof(Phase) / sizeof(double))
    memory[threadIdx.x] = reinterpret_cast<const double*>(&phase)[threadIdx.x];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Block& block = target.block;
  const MajorString major{block.layout, block.coulomb, target.string, block.half != 0};
  for (int first = warp * factors_at_a_time; first < phase.num_links;
       first += num_warps() * factors_at_a_time) {
    // All in the same step, and so of the same item.
    const int number = a.step_items[phase.first_step + first / link_step];
    Item item = a.items[number];
    const Range range = a.excitations.ranges[item.first_range + target.string];
    item.num_links = max((range.size + link_step - 1) / link_step, 1) * link_step;
    if (first == item.first_link && lane == 0) to.items[number - phase.first_item] = item;
    if (first - item.first_link >= item.num_links) continue;
    make_factors(a.excitations, major, item, range, first - item.first_link,
                 {to.factors + item.factors, to.rows + item.first_link,
                  (item.num_pairs + 7) / 8 * 8 + factor_padding});
  }
}

/// Begins to copy a pack.
__device__ inline void copy_pack(double* to, const double* from, int size) {
#pragma unroll 1
  for (int k = 2 * static_cast<int>(threadIdx.x); k < size; k += 2 * num_threads())
    __pipeline_memcpy_async(to + k, from + k, 2 * sizeof(double));
}

__device__ inline Target target_of(const OppositeTables& a, const RowTask& task, const Panels& panels) {
  const Block& block = a.blocks[task.block];
  return {block, task.string, panels.x[block.layout]};
}

}  // namespace cisolve::cuda::direct
