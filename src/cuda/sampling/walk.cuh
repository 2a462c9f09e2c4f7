// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/sampling/group.hpp"
#include "cuda/sampling/projection.hpp"

// How the threads of a group find the next step of a chain that changes something.

namespace cisolve::cuda::sampling {

inline constexpr int ring_steps = 64;

/// What a group keeps of its chain in shared memory, besides places and tables.
struct alignas(16) ChainMemory {
  uint4 words[ring_steps];  ///< of the steps at hand, by their numbers mod 64
  double reductions[64];
  Event event;
  StepCounts counts;
  double parts[2 * num_parts];
  std::uint64_t steps;
  double drift;
  std::int32_t rebuild_interval, double_occupancies;
  std::int32_t item;
};

/// Steps since they were counted last, of the threads that propose.
struct StepTally {
  int steps = 0, nulls = 0, exchanges = 0;

  __device__ void add_to(StepCounts& counts) const {
    counts.null += nulls;
    counts.exchanges_proposed += exchanges;
    counts.hops_proposed += steps - nulls - exchanges;
  }
};

__device__ inline uint4 words_of(std::uint64_t seed, std::uint32_t chain, std::uint64_t step) {
  const PhiloxBlock words = step_words(seed, chain, step);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Proposals of one chain, of a warp: its lanes try the steps from `step` on as if none of those before were taken, so that
/// the first one that is taken is the next step of the chain that changes anything.
struct SpeculativeProposals {
  std::uint64_t step = 0, drawn = 0;  ///< the words of steps before `drawn` are in the ring
  StepTally tally = {};

  __device__ SpeculativeProposals(std::uint64_t first) : step(first), drawn(first) {}

  template <class Group>
  __device__ static bool is_mine(const Group& group) {
    return group.warp() == 0;
  }

  __device__ void draw(const WalkView& walk, ChainMemory& memory, std::uint32_t chain, int lane) {
    if (drawn >= step + 32) return;
    __syncwarp();  // the words that are overwritten have been read
    do {
      const std::uint64_t mine = drawn + static_cast<std::uint64_t>(lane);
      memory.words[mine % ring_steps] = words_of(walk.seed, chain, mine);
      drawn += 32;
    } while (drawn < step + 32);
    __syncwarp();
  }

  /// The next event before `end` to `memory.event`.
  template <class Places, class Walker>
  __device__ void find(const WalkView& walk, const Places& at, const Walker& walker, ChainMemory& memory,
                       std::uint32_t chain, std::uint64_t end) {
    constexpr unsigned all = 0xffffffffU;
    const int lane = static_cast<int>(threadIdx.x % 32);
    while (step < end) {
      const int left = min(static_cast<int>(end - step), 32);
      draw(walk, memory, chain, lane);
      const uint4 words = memory.words[(step + static_cast<std::uint64_t>(lane)) % ring_steps];
      const Move move = propose(walk, at, words.x, words.y);
      const bool is_null = move.kind == MoveKind::null;
      Ratios ratios;
      EventKind kind = EventKind::rejected;
      const double u = unit_interval(words.z, words.w);
      if (!is_null && lane < left) {
        ratios = walker.ratios(walk, move);
        kind = judge(walk, at, move, ratios.value, u);
      }
      const unsigned events = __ballot_sync(all, kind != EventKind::rejected);
      const int last = events != 0 ? __ffs(static_cast<int>(events)) - 1 : left - 1;
      const unsigned taken = all >> (31 - last);
      tally.nulls += __popc(__ballot_sync(all, is_null) & taken);
      tally.exchanges += __popc(__ballot_sync(all, move.kind == MoveKind::exchange) & taken);
      tally.steps += last + 1;
      step += static_cast<std::uint64_t>(last + 1);
      if (events != 0) {
        if (lane == last) memory.event = {kind, move, u, ratios};
        return;
      }
    }
    if (lane == 0) memory.event.kind = EventKind::none;
  }
};

/// The same by one thread, step by step.
struct SerialProposals {
  std::uint64_t step = 0;
  StepTally tally = {};

  __device__ SerialProposals(std::uint64_t first) : step(first) {}

  template <class Group>
  __device__ static bool is_mine(const Group& group) {
    return group.is_first();
  }

  template <class Places, class Walker>
  __device__ void find(const WalkView& walk, const Places& at, const Walker& walker, ChainMemory& memory,
                       std::uint32_t chain, std::uint64_t end) {
    while (step < end) {
      const uint4 words = words_of(walk.seed, chain, step++);
      const Move move = propose(walk, at, words.x, words.y);
      ++tally.steps;
      if (move.kind == MoveKind::null) {
        ++tally.nulls;
        continue;
      }
      tally.exchanges += move.kind == MoveKind::exchange;
      const Ratios ratios = walker.ratios(walk, move);
      const double u = unit_interval(words.z, words.w);
      const EventKind kind = judge(walk, at, move, ratios.value, u);
      if (kind == EventKind::rejected) continue;
      memory.event = {kind, move, u, ratios};
      return;
    }
    memory.event.kind = EventKind::none;
  }
};

}  // namespace cisolve::cuda::sampling
