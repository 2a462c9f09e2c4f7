// SPDX-License-Identifier: MIT
#include "cuda/sampling/walk_kernel.cuh"

namespace cisolve::cuda::sampling {
namespace {

template <int threads, int chains_together>
using Kernel =
    WalkKernelOf<BlockGroup<threads>, DelayedPairs, SpeculativeProposals, threads, chains_together>;

// Of the shared memory of a multiprocessor for each of four chains.
constexpr std::size_t quarter_of_shared = 55 << 10;

}  // namespace

std::unique_ptr<WalkKernel> delayed_kernel(int threads, std::size_t bytes) {
  if (threads == 256) return std::make_unique<Kernel<256, 3>>("delayed, 256 threads");
  if (bytes <= quarter_of_shared) return std::make_unique<Kernel<128, 4>>("delayed, four together");
  return std::make_unique<Kernel<128, 3>>("delayed");
}

std::size_t delayed_bytes(int sites, bool has_fields, int ranks) {
  return sizeof(ChainMemory) + places_bytes(sites, has_fields) + DelayedPairs::bytes_of(sites, ranks) + 16;
}

}  // namespace cisolve::cuda::sampling
