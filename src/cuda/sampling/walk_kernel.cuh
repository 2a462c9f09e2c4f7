// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/core/device_info.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/sampling/chain.cuh"
#include "cuda/sampling/kernels.hpp"
#include "cuda/sampling/memories.cuh"

// The kernel that walks: as many groups as fit the device take segments of chains until there are none.

namespace cisolve::cuda::sampling {

/// Of a group: its chain, places, and what the kind of tables needs.
template <class Memory>
std::size_t group_bytes(const Setup& setup) {
  const std::size_t bytes = sizeof(ChainMemory) +
                            places_bytes(setup.walk.sites, setup.walk.jastrow.shells != nullptr) +
                            Memory::shared_bytes(setup);
  return (bytes + 15) / 16 * 16;
}

/// Number of the next item, which all threads of the group get.
template <class Group>
__device__ int take_item(const Group& group, const SegmentQueue& queue, ChainMemory& memory) {
  int item = 0;
  if (group.is_first()) item = atomicAdd(queue.next, 1);
  return group.from_first(item, &memory.item);
}

/// Until a chain's segments before this one are finished, and what they wrote can be read. Whoever has them took them
/// before, and waits for nobody that comes later.
template <class Group>
__device__ void wait_for(const Group& group, const SegmentQueue& queue, int chain, int segment) {
  if (group.is_first()) {
    const volatile std::int32_t* finished = queue.finished + chain;
    while (*finished < segment) __nanosleep(100);
    __threadfence();
  }
  group.sync();
}

template <class Group>
__device__ void load_chain(const Group& group, const Setup& setup, const SumsView& sums, int chain,
                           int segment, ChainMemory& memory, Site* places) {
  const int count = 4 * setup.walk.sites;
  const Site* from = setup.chains.places + static_cast<std::ptrdiff_t>(chain) * count;
  for (int k = group.rank(); k < count; k += Group::size) places[k] = from[k];
  if (group.is_first()) {
    const ChainRecord& record = setup.chains.records[chain];
    memory.steps = record.steps;
    memory.counts = record.counts;
    memory.rebuild_interval = record.rebuild_interval;
    memory.double_occupancies = record.double_occupancies;
    memory.drift = segment == 0 ? 0.0 : sums.drift[chain];
    for (int part = 0; part < 2 * num_parts; ++part)
      memory.parts[part] = segment == 0 ? 0.0 : sums.parts[2 * num_parts * chain + part];
  }
  group.sync();
}

template <class Group>
__device__ void store_chain(const Group& group, const Setup& setup, const SumsView& sums, int chain,
                            const ChainMemory& memory, const Site* places) {
  const int count = 4 * setup.walk.sites;
  Site* to = setup.chains.places + static_cast<std::ptrdiff_t>(chain) * count;
  for (int k = group.rank(); k < count; k += Group::size) to[k] = places[k];
  if (!group.is_first()) return;
  ChainRecord& record = setup.chains.records[chain];
  record.steps = memory.steps;
  record.counts = memory.counts;
  record.rebuild_interval = memory.rebuild_interval;
  record.double_occupancies = memory.double_occupancies;
  sums.drift[chain] = memory.drift;
  for (int part = 0; part < 2 * num_parts; ++part)
    sums.parts[2 * num_parts * chain + part] = memory.parts[part];
}

/// Places of a chain in the memory that it has for them.
template <class Places>
__device__ Places places_at(unsigned char* memory, int sites) {
  PlacesView places = places_in(reinterpret_cast<Site*>(memory), sites);
  if constexpr (std::is_same_v<Places, PlacesWithFields>) {
    double* fields = reinterpret_cast<double*>(memory + places_bytes(sites, false));
    return {places, fields, fields + sites};
  } else {
    return places;
  }
}

template <class Group, class Memory, class Proposals, class Places, int threads, int least_blocks>
__global__ void __launch_bounds__(threads, least_blocks)
    walk_chains(const __grid_constant__ Setup setup, const __grid_constant__ BlockOrder order,
                const __grid_constant__ SumsView sums, const __grid_constant__ SegmentQueue queue,
                std::uint32_t bytes_of_group) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Group group;
  const int in_block = static_cast<int>(threadIdx.x) / Group::size;
  unsigned char* mine = shared_bytes + bytes_of_group * in_block;
  ChainMemory& memory = *reinterpret_cast<ChainMemory*>(mine);
  const Places at = places_at<Places>(mine + sizeof(ChainMemory), setup.walk.sites);
  constexpr bool has_fields = std::is_same_v<Places, PlacesWithFields>;
  double* rest =
      reinterpret_cast<double*>(mine + sizeof(ChainMemory) + places_bytes(setup.walk.sites, has_fields));
  const Scratch scratch = setup.scratch.of(static_cast<int>(blockIdx.x) * (threads / Group::size) + in_block);
  const int chains = setup.chains.count;
  for (;;) {
    const int item = take_item(group, queue, memory);
    if (item >= chains * queue.segments) return;
    const int chain = item % chains, segment = item / chains;
    wait_for(group, queue, chain, segment);
    typename Memory::Walker walker = Memory::load(group, setup, chain, rest);
    load_chain(group, setup, sums, chain, segment, memory, at.up);
    make_fields(group, setup.walk, at);
    {
      ChainWalk<Group, Places, typename Memory::Walker, Proposals> walk(setup, order, sums, scratch, memory,
                                                                        at, walker, chain);
      walk.advance(segment * segment_sweeps, min((segment + 1) * segment_sweeps, order.sweeps));
    }
    Memory::store(group, setup, chain, walker);
    store_chain(group, setup, sums, chain, memory, at.up);
    group.sync();
    if (group.is_first()) {
      __threadfence();
      atomicExch(queue.finished + chain, segment + 1);
    }
    group.sync();
  }
}

/// One of the kernels, with its grid.
template <class Group, class Memory, class Proposals, int threads, int least_blocks>
class WalkKernelOf final : public WalkKernel {
public:
  explicit WalkKernelOf(const char* name) : name_(name) {}

  const char* name() const override { return name_; }
  std::int64_t table_doubles(const WalkView& walk) const override { return Memory::table_doubles(walk); }

  /// Groups that are on the current device together.
  int groups(const Setup& setup) const override { return grid(setup) * per_block; }

  void launch(const Stream& stream, const Setup& setup, const BlockOrder& order, const SumsView& sums,
              const SegmentQueue& queue) const override {
    const Launch run{stream, dim3(static_cast<unsigned>(grid(setup))), dim3(threads), bytes(setup)};
    run(kernel_for(setup), setup, order, sums, queue, static_cast<std::uint32_t>(group_bytes<Memory>(setup)));
  }

private:
  static constexpr int per_block = threads / Group::size;
  static auto kernel_for(const Setup& setup) {
    return setup.walk.jastrow.shells == nullptr
               ? &walk_chains<Group, Memory, Proposals, PlacesView, threads, least_blocks>
               : &walk_chains<Group, Memory, Proposals, PlacesWithFields, threads, least_blocks>;
  }

  static std::size_t bytes(const Setup& setup) { return group_bytes<Memory>(setup) * per_block; }

  static int grid(const Setup& setup) {
    const std::size_t shared = bytes(setup);
    const auto kernel = kernel_for(setup);
    check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared));
    if (resident < 1) throw ResourceError("a chain's table does not fit the shared memory of the device");
    const int needed = (setup.chains.count + per_block - 1) / per_block;
    const int most = resident * multiprocessors();
    return needed < most ? needed : most;
  }

  const char* name_;
};

}  // namespace cisolve::cuda::sampling
