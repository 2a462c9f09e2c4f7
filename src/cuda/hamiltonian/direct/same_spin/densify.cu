// SPDX-License-Identifier: MIT
// Makes dense same-spin matrices from excitations.
#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int densify_threads = 256;

/// A block per column.
__global__ void __launch_bounds__(densify_threads)
    densify_kernel(const __grid_constant__ SameSpinExcitations<Pointer> a,
                   const __grid_constant__ DenseColumns columns, double* dense) {
  double* column = dense + static_cast<std::int64_t>(blockIdx.x) * columns.ld;
  for (std::int32_t k = threadIdx.x; k < columns.ld; k += densify_threads) column[k] = 0.0;
  __syncthreads();
  const std::int64_t* groups_of = a.groups_of + columns.first + blockIdx.x;
  for (std::int64_t g = groups_of[0]; g < groups_of[1]; ++g) {
    const ExcitationGroup group = a.groups[g];
    const DenseTargets to =
        columns.targets == nullptr ? DenseTargets{0, 0, columns.ld} : columns.targets[group.source_class];
    for (std::int32_t k = threadIdx.x; k < group.size; k += densify_threads) {
      const std::int32_t string = a.sources[group.first + k];
      if (string >= to.first && string < to.last)
        column[to.row + string - to.first] = a.values[group.first + k];
    }
  }
}

}  // namespace

void launch_densify(const Stream& stream, const SameSpinExcitations<Pointer>& excitations,
                    const DenseColumns& columns, double* dense) {
  Launch{stream, static_cast<unsigned>(columns.count), densify_threads}(densify_kernel, excitations, columns,
                                                                        dense);
}

}  // namespace cisolve::cuda::direct
