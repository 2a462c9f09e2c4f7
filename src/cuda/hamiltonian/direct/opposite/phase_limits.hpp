// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cuda/hamiltonian/direct/opposite/shape.hpp"

namespace cisolve::cuda::direct {

/// Excitations into a block of y through pairs of an irrep from one minor class.
struct Feed {
  std::int32_t num_pairs;
  std::int32_t num_excitations;  ///< of any string of the major class, in whole steps
  std::int64_t stride;           ///< of t
};

/// What a block of threads has room for in a phase: elements of t, of factors, and of a pack with so many factors.
struct PhaseLimits {
  std::int64_t t, factors, pack;
};

/// Division of the room under which a block of y has the fewest phases: few factors go with much t, or many with little.
PhaseLimits choose_limits(const Shape& shape, std::span<const Feed> feeds);

/// Pairs at a time: as equal parts as possible, whole eights if there is room.
std::int32_t part_size(const Feed& feed, const PhaseLimits& limits);

/// Fills phases one after the other.
class PhaseRoom {
public:
  explicit PhaseRoom(const PhaseLimits& limits) : limits_(limits) {}

  /// Takes room for some pairs of a feed; in the next phase if it returns false.
  bool take(std::int64_t num_pairs, std::int64_t num_excitations, std::int64_t stride);

private:
  const PhaseLimits limits_;
  std::int64_t t_ = 1;  // an element that is zero
  std::int64_t factors_ = 0;
};

}  // namespace cisolve::cuda::direct
