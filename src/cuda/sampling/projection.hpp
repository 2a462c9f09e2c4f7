// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>

#include "cuda/sampling/group.hpp"
#include "cuda/sampling/steps.hpp"

// What multiplies the determinants, as in sampling/projection.hpp. Whether there is a Jastrow factor is known from the kind of
// places, so that walks without one have nothing to do with it.

namespace cisolve::cuda::sampling {

/// Of g^D after and before a hop of an electron of one spin between two sites.
CISOLVE_HOST_DEVICE inline double projection_of_hop(const WalkView& walk, const PlacesView& at, bool is_up,
                                                    int from, int to) {
  if (walk.is_t_j) return 1.0;
  const Site* other = is_up ? at.at_down : at.at_up;
  return walk.weight[1 + (other[to] >= 0) - (other[from] >= 0)];
}

/// Of an up electron that goes from one site to the other, and a down electron that comes back: neither site was or will be
/// doubly occupied.
CISOLVE_HOST_DEVICE inline double projection_of_exchange(const WalkView&, const PlacesView&, int, int) {
  return 1.0;
}

CISOLVE_HOST_DEVICE inline int shell_of(const WalkView& walk, int i, int j) {
  return walk.jastrow.shells[std::ptrdiff_t{i} * walk.sites + j];
}

/// Of the Jastrow factor, too.
CISOLVE_HOST_DEVICE inline double projection_of_hop(const WalkView& walk, const PlacesWithFields& at,
                                                    bool is_up, int from, int to) {
  const double* field = is_up ? at.field_up : at.field_down;
  const double change = field[to] - field[from] - walk.jastrow.like[shell_of(walk, from, to)];
  return projection_of_hop(walk, static_cast<const PlacesView&>(at), is_up, from, to) * exp(change);
}

CISOLVE_HOST_DEVICE inline double projection_of_exchange(const WalkView& walk, const PlacesWithFields& at,
                                                         int from, int to) {
  const int shell = shell_of(walk, from, to);
  return exp(at.field_up[to] - at.field_up[from] + at.field_down[from] - at.field_down[to] -
             2.0 * (walk.jastrow.like[shell] - walk.jastrow.unlike[shell]));
}

/// Of a move that is not null.
template <class Places>
CISOLVE_HOST_DEVICE inline double projection_ratio(const WalkView& walk, const Places& at, const Move& move) {
  if (move.kind == MoveKind::exchange)
    return projection_of_exchange(walk, at, at.up[move.up], at.up[walk.up + move.up_slot]);
  if (move.kind == MoveKind::hop_up)
    return projection_of_hop(walk, at, true, at.up[move.up], at.up[walk.up + move.up_slot]);
  return projection_of_hop(walk, at, false, at.down[move.down], at.down[walk.down + move.down_slot]);
}

/// What becomes of a step whose move is not null.
template <class Places>
CISOLVE_HOST_DEVICE inline EventKind judge(const WalkView& walk, const Places& at, const Move& move,
                                           double ratio, double u) {
  if (!is_finite(ratio)) return EventKind::non_finite;
  const double factor = ratio * projection_ratio(walk, at, move);
  return u < factor * factor ? EventKind::accepted : EventKind::rejected;
}

/// Fields of where electrons are, by all threads of a group, which wait for each other. Without a Jastrow factor nothing.
template <class Group>
CISOLVE_GROUP void make_fields(const Group&, const WalkView&, const PlacesView&) {}

template <class Group>
CISOLVE_GROUP void make_fields(const Group& group, const WalkView& walk, const PlacesWithFields& at) {
  const JastrowView& jastrow = walk.jastrow;
  for (int i = group.rank(); i < walk.sites; i += Group::size) {
    double up = -jastrow.offset[i], down = up;
    for (int j = 0; j < walk.sites; ++j) {
      const int shell = jastrow.shells[std::ptrdiff_t{j} * walk.sites + i];
      const double like = jastrow.like[shell], unlike = jastrow.unlike[shell];
      if (at.at_up[j] >= 0) up += like, down += unlike;
      if (at.at_down[j] >= 0) up += unlike, down += like;
    }
    at.field_up[i] = up;
    at.field_down[i] = down;
  }
  group.sync();
}

/// Fields follow a move, before places do, by all threads of a group, which wait for each other.
template <class Group>
CISOLVE_GROUP void move_fields(const Group&, const WalkView&, const PlacesView&, const Move&) {}

template <class Group>
CISOLVE_GROUP void move_fields(const Group& group, const WalkView& walk, const PlacesWithFields& at,
                               const Move& move) {
  const JastrowView& jastrow = walk.jastrow;
  const bool is_down = move.kind == MoveKind::hop_down, is_exchange = move.kind == MoveKind::exchange;
  const int from = is_down ? at.down[move.down] : at.up[move.up],
            to = is_down ? at.down[walk.down + move.down_slot] : at.up[walk.up + move.up_slot];
  const Site *from_shells = jastrow.shells + std::ptrdiff_t{from} * walk.sites,
             *to_shells = jastrow.shells + std::ptrdiff_t{to} * walk.sites;
  double *own = is_down ? at.field_down : at.field_up, *other = is_down ? at.field_up : at.field_down;
  for (int i = group.rank(); i < walk.sites; i += Group::size) {
    const int a = to_shells[i], b = from_shells[i];
    const double like = jastrow.like[a] - jastrow.like[b], unlike = jastrow.unlike[a] - jastrow.unlike[b];
    // Of an exchange the down electron goes the other way.
    own[i] += is_exchange ? like - unlike : like;
    other[i] += is_exchange ? unlike - like : unlike;
  }
  group.sync();
}

}  // namespace cisolve::cuda::sampling
