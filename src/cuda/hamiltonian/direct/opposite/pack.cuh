// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_pipeline.h>

#include "cuda/hamiltonian/direct/excitations/factors.cuh"
#include "cuda/hamiltonian/direct/opposite/opposite_part.hpp"

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

  __device__ Pack(double* memory, std::int32_t num_items, std::int32_t num_excitations)
      : phase(reinterpret_cast<Phase*>(memory)), items(reinterpret_cast<Item*>(phase + 1)),
        rows(reinterpret_cast<std::int64_t*>(items + num_items)),
        factors(reinterpret_cast<double*>(rows + num_excitations)) {}
  /// One that is there.
  __device__ explicit Pack(double* memory)
      : Pack(memory, reinterpret_cast<Phase*>(memory)->num_items,
             reinterpret_cast<Phase*>(memory)->num_excitations) {}
};

/// The row that a block of threads works on.
struct Target {
  Block block;
  int string;
  const double* x;
};

/// Makes a pack. A warp takes some excitations at a time.
__device__ inline void make_pack(const PackTables& a, const Target& target, const Phase& phase,
                                 double* memory) {
  const Pack to(memory, phase.num_items, phase.num_excitations);
  if (threadIdx.x < sizeof(Phase) / sizeof(double))
    memory[threadIdx.x] = reinterpret_cast<const double*>(&phase)[threadIdx.x];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Block& block = target.block;
  const MajorString major{block.layout, block.coulomb, target.string, block.half != 0};
  for (int first = warp * factors_at_a_time; first < phase.num_excitations;
       first += num_warps() * factors_at_a_time) {
    // All in the same step, and so of the same item.
    const int number = a.lists.step_items[phase.first_step + first / excitation_step];
    Item item = a.lists.items[number];
    const Range range = a.excitations.lists.ranges[item.first_range + target.string];
    item.num_excitations = max((range.size + excitation_step - 1) / excitation_step, 1) * excitation_step;
    if (first == item.first_excitation && lane == 0) to.items[number - phase.first_item] = item;
    if (first - item.first_excitation >= item.num_excitations) continue;
    make_factors(a.excitations, major, item, range, first - item.first_excitation,
                 {to.factors + item.factors, to.rows + item.first_excitation,
                  (item.num_pairs + 7) / 8 * 8 + factor_padding});
  }
}

/// Begins to copy a pack.
__device__ inline void copy_pack(double* to, const double* from, int size) {
#pragma unroll 1
  for (int k = 2 * static_cast<int>(threadIdx.x); k < size; k += 2 * num_threads())
    __pipeline_memcpy_async(to + k, from + k, 2 * sizeof(double));
}

__device__ inline Target target_of(const PackTables& a, const RowTask& task, const Panels& panels) {
  const Block& block = a.lists.blocks[task.block];
  return {block, task.string, panels.x[block.layout]};
}

}  // namespace cisolve::cuda::direct
