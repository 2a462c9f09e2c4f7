// SPDX-License-Identifier: MIT
#include "cuda/sampling/walk_kernel.cuh"

namespace cisolve::cuda::sampling {
namespace {

constexpr int threads = 128;
using Block = BlockGroup<threads>;
template <class Memory>
using Kernel = WalkKernelOf<Block, Memory, SerialProposals, threads, 1>;

// Of kernels that make tables anew outside of a walk.
constexpr int most_rebuild_groups = 512;

template <class Body>
__device__ void for_each_chain(const Setup& setup, double* shared, const Body& body) {
  const Block block;
  const Scratch scratch = setup.scratch.of(static_cast<int>(blockIdx.x));
  for (int chain = static_cast<int>(blockIdx.x); chain < setup.chains.count;
       chain += static_cast<int>(gridDim.x)) {
    const int sites = setup.walk.sites;
    body(block, chain, places_in(setup.chains.places + static_cast<std::ptrdiff_t>(chain) * 4 * sites, sites),
         scratch, shared);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(threads) rebuild_pairs(const __grid_constant__ Setup setup, int stride) {
  __shared__ double shared[64];
  for_each_chain(setup, shared,
                 [&](const Block& block, int chain, PlacesView at, const Scratch& scratch, double* sums) {
                   remake_pairs(block, setup, at, scratch, table_of(setup, chain), stride, sums);
                 });
}

__global__ void __launch_bounds__(threads) rebuild_sea(const __grid_constant__ Setup setup) {
  __shared__ double shared[64];
  for_each_chain(setup, shared,
                 [&](const Block& block, int chain, PlacesView at, const Scratch& scratch, double* sums) {
                   const PlainSea::Walker walker = PlainSea::load(block, setup, chain, nullptr);
                   remake_sea(block, setup, at, scratch, walker.up.t, walker.up.stride, walker.down.t,
                              walker.down.stride, sums);
                 });
}

__global__ void __launch_bounds__(threads)
    conditions_of(const __grid_constant__ Setup setup, double* conditions) {
  __shared__ double shared[64];
  for_each_chain(
      setup, shared, [&](const Block& block, int chain, PlacesView at, const Scratch& scratch, double* sums) {
        const WalkView& walk = setup.walk;
        double smallest = 1.0;
        if (!walk.is_sea) {
          smallest = reciprocal_condition(block, PairSource{walk, setup.trial, at}, scratch, sums);
        } else {
          if (walk.up > 0)
            smallest =
                reciprocal_condition(block, SeaSource{walk, setup.trial, at.up, walk.up}, scratch, sums);
          if (walk.down > 0)
            smallest = fmin(
                smallest,
                reciprocal_condition(block, SeaSource{walk, setup.trial, at.down, walk.down}, scratch, sums));
        }
        if (block.is_first()) conditions[chain] = smallest;
      });
}

dim3 rebuild_grid(const Setup& setup) {
  return dim3(static_cast<unsigned>(rebuild_groups(setup.chains.count)));
}

}  // namespace

std::unique_ptr<WalkKernel> plain_kernel(bool is_sea) {
  if (is_sea) return std::make_unique<Kernel<PlainSea>>("plain sea");
  return std::make_unique<Kernel<PlainPairs>>("plain");
}

int rebuild_groups(int chains) { return chains < most_rebuild_groups ? chains : most_rebuild_groups; }

void launch_rebuild(const Stream& stream, const Setup& setup, EngineKind kind) {
  const Launch run{stream, rebuild_grid(setup), dim3(threads)};
  if (setup.walk.is_sea) return run(rebuild_sea, setup);
  const int sites = setup.walk.sites;
  const bool is_shared = kind == EngineKind::small || kind == EngineKind::shared;
  run(rebuild_pairs, setup, is_shared ? SharedPairs<1>::stride_for(sites) : ScratchPool::padded(sites));
}

void launch_conditions(const Stream& stream, const Setup& setup, double* conditions) {
  Launch{stream, rebuild_grid(setup), dim3(threads)}(conditions_of, setup, conditions);
}

}  // namespace cisolve::cuda::sampling
