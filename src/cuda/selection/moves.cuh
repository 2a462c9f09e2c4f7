// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_views.hpp"

// What warps go through together: excitations of one string, on one lane each.
namespace cisolve::cuda {

/// Orbitals of a string, in shared memory.
struct OccupiedAndEmpty {
  std::uint8_t occupied[256], empty[256];
  int num_occupied, num_empty;

  /// By a warp.
  template <int Words>
  __device__ void fill(const Bits<Words>& string, int num_orbitals, int lane) {
    int before_occupied = 0, before_empty = 0;
    for (int base = 0; base < num_orbitals; base += 32) {
      const int p = base + lane;
      const bool is_orbital = p < num_orbitals;
      const bool is_occupied = is_orbital && string.test(p);
      const unsigned all_occupied = __ballot_sync(0xffffffffU, is_occupied);
      const unsigned all_empty = __ballot_sync(0xffffffffU, is_orbital && !is_occupied);
      const unsigned below = (1U << lane) - 1U;
      if (is_occupied)
        occupied[before_occupied + __popc(all_occupied & below)] = static_cast<std::uint8_t>(p);
      if (is_orbital && !is_occupied)
        empty[before_empty + __popc(all_empty & below)] = static_cast<std::uint8_t>(p);
      before_occupied += __popc(all_occupied);
      before_empty += __popc(all_empty);
    }
    if (lane == 0) {
      num_occupied = before_occupied;
      num_empty = before_empty;
    }
    __syncwarp();
  }
};

/// visit(hole, particle, target) for all single excitations.
template <int Words, class Visit>
__device__ void for_each_single(const OccupiedAndEmpty& orbitals, const Bits<Words>& string, int lane,
                                const Visit& visit) {
  const int num_empty = orbitals.num_empty, count = orbitals.num_occupied * num_empty;
  for (int k = lane; k < count; k += 32) {
    const int h = orbitals.occupied[k / num_empty], p = orbitals.empty[k % num_empty];
    visit(h, p, string.flipped(h).flipped(p));
  }
}

/// A double excitation within a spin.
template <int Words>
struct Move {
  Bits<Words> target;
  std::int64_t at;      ///< among SameSpinMoves
  std::int64_t number;  ///< among all moves out of the string's pairs, blocked ones included
  bool negative;
  int h1, h2, p1, p2;
};

/// visit(Move) for all that the string allows.
template <int Words, class Visit>
__device__ void for_each_move(const SpinView& spin, const OccupiedAndEmpty& orbitals,
                              const Bits<Words>& string, int lane, const Visit& visit) {
  std::int64_t before = 0;
  for (int j = 1; j < orbitals.num_occupied; ++j) {
    const int h2 = orbitals.occupied[j];
    const bool parity2 = string.parity(h2);
    for (int i = 0; i < j; ++i) {
      const int h1 = orbitals.occupied[i];
      const std::int64_t pair = static_cast<std::int64_t>(h2) * (h2 - 1) / 2 + h1;
      const std::int64_t first = spin.move_offsets[pair], last = spin.move_offsets[pair + 1];
      const bool of_holes = string.parity(h1) != parity2;
      const Bits<Words> rest = string.flipped(h1).flipped(h2);
      for (std::int64_t at = first + lane; at < last; at += 32) {
        const std::uint16_t particles = spin.move_particles[at];
        const int p1 = particles & 255, p2 = particles >> 8;
        if (string.test(p1) || string.test(p2)) continue;
        visit(Move<Words>{rest.flipped(p1).flipped(p2), at, before + (at - first),
                          of_holes != (string.parity(p1) != string.parity(p2)), h1, h2, p1, p2});
      }
      before += last - first;
    }
  }
}

/// IntegralTables::single_within_spin.
template <int Words>
__device__ double single_within_spin(const SpinView& spin, std::uint32_t num_pairs, const Bits<Words>& string,
                                     int h, int p) {
  const std::uint32_t hp = pair_of(h, p);
  const double* row = spin.within + static_cast<std::int64_t>(hp) * num_pairs;
  double value = spin.one[hp];
  string.for_each([&](int r) {
    value += row[pair_of(r, r)] -
             spin.within[static_cast<std::int64_t>(pair_of(h, r)) * num_pairs + pair_of(r, p)];
  });
  return value;
}

}  // namespace cisolve::cuda
