// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_kernels.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int own_threads = 256;

/// A block per column, cleared before.
__global__ void __launch_bounds__(own_threads)
densify_kernel(const OwnTables a, int layout, std::int32_t first, std::int32_t ld, double* dense) {
  double* column = dense + static_cast<std::int64_t>(blockIdx.x) * ld;
  for (std::int32_t k = threadIdx.x; k < ld; k += own_threads) column[k] = 0.0;
  __syncthreads();
  const std::int64_t* groups_of = a.groups_of[layout] + first + blockIdx.x;
  for (std::int64_t g = groups_of[0]; g < groups_of[1]; ++g) {
    const OwnGroup group = a.groups[layout][g];
    for (std::int32_t k = threadIdx.x; k < group.size; k += own_threads)
      column[a.sources[layout][group.first + k]] = a.values[layout][group.first + k];
  }
}

}  // namespace

void launch_densify(const Stream& stream, const OwnTables& tables, int layout, std::int32_t first_ordinal,
                    std::int32_t first, std::int32_t count, std::int32_t ld, double* dense) {
  densify_kernel<<<static_cast<unsigned>(count), own_threads, 0, stream.get()>>>(tables, layout, first_ordinal + first, ld, dense);
  check(cudaGetLastError());
}

}  // namespace cisolve::cuda::direct
