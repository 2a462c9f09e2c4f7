// SPDX-License-Identifier: MIT
#include "cisolve/core/error.hpp"
#include "cuda/sampling/walk_kernel.cuh"

namespace cisolve::cuda::sampling {
namespace {

/// As many threads as share the work of an update, and as many chains on a multiprocessor as its shared memory has room for.
template <int columns>
constexpr int threads = columns <= 3 ? 128 : 256;
template <int columns>
constexpr int least_blocks = columns <= 2   ? 4
                             : columns == 3 ? 3
                                            : 1;
template <int columns>
using BlockKernel = WalkKernelOf<BlockGroup<threads<columns>>, SharedPairs<columns>, SpeculativeProposals,
                                 threads<columns>, least_blocks<columns>>;

using SmallKernel = WalkKernelOf<WarpGroup, SharedPairs<1>, SpeculativeProposals, 128, 4>;

}  // namespace

std::unique_ptr<WalkKernel> small_kernel() { return std::make_unique<SmallKernel>("small"); }

std::unique_ptr<WalkKernel> shared_kernel(int sites) {
  switch ((sites + 31) / 32) {
    case 1:
      return std::make_unique<BlockKernel<1>>("shared");
    case 2:
      return std::make_unique<BlockKernel<2>>("shared");
    case 3:
      return std::make_unique<BlockKernel<3>>("shared");
    case 4:
      return std::make_unique<BlockKernel<4>>("shared");
    case 5:
      return std::make_unique<BlockKernel<5>>("shared");
    default:
      throw DimensionError("tables of more than 160 sites do not fit shared memory");
  }
}

}  // namespace cisolve::cuda::sampling
