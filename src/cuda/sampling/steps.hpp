// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/sampling/views.hpp"
#include "sampling/configuration.hpp"

// Steps of a chain over the arrays that kernels keep: what chain.hpp does with a Configuration.

namespace cisolve::cuda::sampling {

using cisolve::sampling::Move;
using cisolve::sampling::MoveKind;

// As in sampling/chain.hpp.
inline constexpr double smallest_safe_ratio = 1e-6;

/// A row and a column of a table.
struct Entry {
  int row = 0, column = 0;
};

CISOLVE_HOST_DEVICE inline Move make_move(MoveKind kind, int up, int up_slot, int down, int down_slot) {
  Move move;
  move.kind = kind;
  move.up = up;
  move.up_slot = up_slot;
  move.down = down;
  move.down_slot = down_slot;
  return move;
}

/// What a step does to the site that it goes to, by who is there.
CISOLVE_HOST_DEVICE inline Move move_to(const WalkView& walk, const PlacesView& at, bool is_up, int electron,
                                        int slot, std::uint32_t fraction) {
  const Site* own = is_up ? at.up : at.down;
  const Site* other_at = is_up ? at.at_down : at.at_up;
  const int electrons = is_up ? walk.up : walk.down;
  const int from = own[electron], to = own[electrons + slot];
  const int other = other_at[to];
  bool is_exchange = other >= 0;
  if (!walk.is_t_j) {
    const bool is_wanted = fraction < walk.exchange_below;
    if (is_wanted && (!is_exchange || other_at[from] >= 0)) return make_move(MoveKind::null, -1, -1, -1, -1);
    is_exchange = is_wanted;
  }
  if (!is_exchange)
    return is_up ? make_move(MoveKind::hop_up, electron, slot, -1, -1)
                 : make_move(MoveKind::hop_down, -1, -1, electron, slot);
  const int other_slot = ~other_at[from];
  return is_up ? make_move(MoveKind::exchange, electron, slot, other, other_slot)
               : make_move(MoveKind::exchange, other, other_slot, electron, slot);
}

/// The move that two random words propose.
CISOLVE_HOST_DEVICE inline Move propose(const WalkView& walk, const PlacesView& at, std::uint32_t w0,
                                        std::uint32_t w1) {
  const std::uint64_t a = std::uint64_t{w0} * static_cast<std::uint32_t>(walk.up + walk.down);
  const int number = static_cast<int>(a >> 32);
  const bool is_up = number < walk.up;
  const int electrons = is_up ? walk.up : walk.down;
  const int electron = is_up ? number : number - walk.up;
  const bool is_near = static_cast<std::uint32_t>(a) < walk.near_below;
  const int choices = is_near ? walk.directions : walk.sites - electrons;
  const std::uint64_t b = std::uint64_t{w1} * static_cast<std::uint32_t>(choices);
  const Move null = make_move(MoveKind::null, -1, -1, -1, -1);
  if (choices == 0) return null;
  int slot = static_cast<int>(b >> 32);
  if (is_near) {
    const int from = (is_up ? at.up : at.down)[electron];
    const int target = walk.neighbours[from * walk.directions + slot];
    if (target < 0) return null;
    const int there = (is_up ? at.at_up : at.at_down)[target];
    if (there >= 0) return null;
    slot = ~there;
  }
  return move_to(walk, at, is_up, electron, slot, static_cast<std::uint32_t>(b));
}

/// By how much a move changes the number of doubly occupied sites.
CISOLVE_HOST_DEVICE inline int change_of_double_occupancies(const WalkView& walk, const PlacesView& at,
                                                            const Move& move) {
  if (move.kind == MoveKind::hop_up)
    return (at.at_down[at.up[walk.up + move.up_slot]] >= 0) - (at.at_down[at.up[move.up]] >= 0);
  if (move.kind == MoveKind::hop_down)
    return (at.at_up[at.down[walk.down + move.down_slot]] >= 0) - (at.at_up[at.down[move.down]] >= 0);
  return 0;
}

CISOLVE_HOST_DEVICE inline void move_electron(Site* sites, Site* at, int electrons, int electron, int slot) {
  const Site from = sites[electron], to = sites[electrons + slot];
  sites[electron] = to;
  sites[electrons + slot] = from;
  at[to] = static_cast<Site>(electron);
  at[from] = static_cast<Site>(~slot);
}

CISOLVE_HOST_DEVICE inline void apply(const WalkView& walk, const PlacesView& at, const Move& move) {
  if (move.up >= 0) move_electron(at.up, at.at_up, walk.up, move.up, move.up_slot);
  if (move.down >= 0) move_electron(at.down, at.at_down, walk.down, move.down, move.down_slot);
}

/// Entry of an up electron's hop; rows of pairs begin with the down electrons.
CISOLVE_HOST_DEVICE inline Entry up_entry(const WalkView& walk, const Move& move) {
  return {(walk.is_sea ? 0 : walk.down) + move.up_slot, move.up};
}
CISOLVE_HOST_DEVICE inline Entry down_entry(const WalkView& walk, const Move& move) {
  return walk.is_sea ? Entry{move.down_slot, move.down} : Entry{move.down, walk.up + move.down_slot};
}

/// Entries of the table of pairs around those of a move, and what its ratio is.
struct Ratios {
  double aa = 0.0, ab = 0.0, ba = 0.0, bb = 0.0;
  double value = 0.0;
};

/// Four random words of a step.
CISOLVE_HOST_DEVICE inline PhiloxBlock step_words(std::uint64_t seed, std::uint32_t chain,
                                                  std::uint64_t step) {
  return philox({{static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), chain, 0}},
                philox_key(seed));
}

/// A step that changes something, or of which it is not known yet.
enum class EventKind { none, accepted, non_finite, rejected };
struct Event {
  EventKind kind = EventKind::none;
  Move move = {};
  double u = 0.0;
  Ratios ratios = {};
};

/// A number that is neither infinite nor none, also where the compiler's own functions may not be called.
CISOLVE_HOST_DEVICE inline bool is_finite(double x) { return x - x == 0.0; }

}  // namespace cisolve::cuda::sampling
