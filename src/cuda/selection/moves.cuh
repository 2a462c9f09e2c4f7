// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_views.hpp"
#include "cuda/selection/warp.cuh"

// What warps go through together: excitations of one string, on one lane each.
namespace cisolve::cuda {

/// Some pairs of occupied orbitals, one on each lane.
struct HolePairs {
  std::int64_t firsts[warp_size];  ///< moves of each pair begin here among SameSpinMoves
  std::int32_t ends[warp_size];    ///< moves of the pairs up to this one
  std::uint8_t h1[warp_size], h2[warp_size];
};

/// Orbitals of a string, in shared memory.
struct OccupiedAndEmpty {
  std::uint8_t occupied[256], empty[256];
  int num_occupied, num_empty;
  HolePairs pairs;  ///< of MoveWalk

  /// By a warp.
  template <int Words>
  __device__ void fill(const Bits<Words>& string, int num_orbitals, int lane) {
    int before_occupied = 0, before_empty = 0;
    for (int base = 0; base < num_orbitals; base += warp_size) {
      const int p = base + lane;
      const bool is_orbital = p < num_orbitals;
      const bool is_occupied = is_orbital && string.test(p);
      const unsigned all_occupied = __ballot_sync(all_lanes, is_occupied);
      const unsigned all_empty = __ballot_sync(all_lanes, is_orbital && !is_occupied);
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
  for (int k = lane; k < count; k += warp_size) {
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

/// The double excitations of a string, the moves of 32 pairs of holes at a time, so that lanes, and warps, can share them out
/// evenly.
template <int Words>
class MoveWalk {
public:
  /// @param orbitals  of the string; its pairs are written
  __device__ MoveWalk(const SpinView& spin, const Bits<Words>& string, OccupiedAndEmpty& orbitals)
      : spin_(spin), string_(string), orbitals_(orbitals), i_(lane_number()) {}

  /// To the next pairs, all lanes together; false: there are none.
  __device__ bool next() {
    if (first_pair_ >= orbitals_.num_occupied * (orbitals_.num_occupied - 1) / 2) return false;
    first_pair_ += warp_size;
    before_ += size_;
    item_ = 0;
    while (i_ >= j_) i_ -= j_++;
    __syncwarp();
    HolePairs& pairs = orbitals_.pairs;
    const int lane = lane_number();
    std::int32_t count = 0;
    if (j_ < orbitals_.num_occupied) {
      const int h1 = orbitals_.occupied[i_], h2 = orbitals_.occupied[j_];
      const std::int64_t pair = static_cast<std::int64_t>(h2) * (h2 - 1) / 2 + h1;
      pairs.firsts[lane] = spin_.move_offsets[pair];
      pairs.h1[lane] = static_cast<std::uint8_t>(h1);
      pairs.h2[lane] = static_cast<std::uint8_t>(h2);
      count = static_cast<std::int32_t>(spin_.move_offsets[pair + 1] - spin_.move_offsets[pair]);
    }
    count = sum_up_to(count);
    pairs.ends[lane] = count;
    size_ = of_last_lane(count);
    i_ += warp_size;
    __syncwarp();
    return true;
  }

  /// Moves of the pairs, blocked ones included.
  __device__ std::int32_t size() const { return size_; }

  /// The k-th of them, where k only grows between two calls of next; false: an orbital that it leads to is occupied.
  __device__ bool find(std::int32_t k, Move<Words>& move) {
    const HolePairs& pairs = orbitals_.pairs;
    while (k >= pairs.ends[item_]) ++item_;
    move.at = pairs.firsts[item_] + (k - (item_ > 0 ? pairs.ends[item_ - 1] : 0));
    const std::uint16_t particles = spin_.move_particles[move.at];
    move.p1 = particles & 255;
    move.p2 = particles >> 8;
    if (string_.test(move.p1) || string_.test(move.p2)) return false;
    move.h1 = pairs.h1[item_];
    move.h2 = pairs.h2[item_];
    move.number = before_ + k;
    move.negative =
        string_.parity(move.h1) ^ string_.parity(move.h2) ^ string_.parity(move.p1) ^ string_.parity(move.p2);
    move.target = string_.flipped(move.h1).flipped(move.h2).flipped(move.p1).flipped(move.p2);
    return true;
  }

private:
  const SpinView& spin_;
  const Bits<Words>& string_;
  OccupiedAndEmpty& orbitals_;
  std::int64_t before_ = 0;
  int first_pair_ = 0, i_, j_ = 1, item_ = 0;
  std::int32_t size_ = 0;
};

/// visit(Move) for all that the string allows.
template <int Words, class Visit>
__device__ void for_each_move(const SpinView& spin, OccupiedAndEmpty& orbitals, const Bits<Words>& string,
                              int lane, const Visit& visit) {
  MoveWalk<Words> walk(spin, string, orbitals);
  while (walk.next()) {
    for (std::int32_t k = lane; k < walk.size(); k += warp_size) {
      Move<Words> move;
      if (walk.find(k, move)) visit(move);
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
