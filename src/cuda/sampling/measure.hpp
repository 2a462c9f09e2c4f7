// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "cuda/sampling/group.hpp"
#include "cuda/sampling/projection.hpp"

// What is measured in a configuration: as in sampling/measurements.hpp, in sums of each thread that are added in a fixed
// order. A walker gives ratio(walk, move) and inverse(q, p).

namespace cisolve::cuda::sampling {

struct EnergyParts {
  double kinetic = 0.0, exchange = 0.0, density = 0.0;
};

/// The hop of an electron of one spin between two sites, of which the first has one.
CISOLVE_GROUP inline Move hop_of(const PlacesView& at, bool is_up, int from, int to) {
  const Site* own = is_up ? at.at_up : at.at_down;
  return is_up ? make_move(MoveKind::hop_up, own[from], ~own[to], -1, -1)
               : make_move(MoveKind::hop_down, -1, -1, own[from], ~own[to]);
}

/// The ratio of psi after and before it.
template <class Places, class Walker>
CISOLVE_GROUP double hop_ratio(const WalkView& walk, const Places& at, const Walker& walker, bool is_up,
                               int from, int to) {
  return walker.ratio(walk, hop_of(at, is_up, from, to)) * projection_of_hop(walk, at, is_up, from, to);
}

/// The exchange of an up and a down electron on singly occupied sites.
CISOLVE_GROUP inline Move exchange_between(const PlacesView& at, int up_site, int down_site) {
  return make_move(MoveKind::exchange, at.at_up[up_site], ~at.at_up[down_site], at.at_down[down_site],
                   ~at.at_down[up_site]);
}

template <class Places, class Walker>
CISOLVE_GROUP void add_bond(const WalkView& walk, const Places& at, const Walker& walker,
                            const BondView& bond, EnergyParts& parts) {
  const int i = bond.i, j = bond.j;
  const bool up_i = at.at_up[i] >= 0, up_j = at.at_up[j] >= 0;
  const bool down_i = at.at_down[i] >= 0, down_j = at.at_down[j] >= 0;
  const int n_i = up_i + down_i, n_j = up_j + down_j;
  parts.density += bond.v * (n_i * n_j);
  // In the t-J model the other site is empty.
  if (!walk.is_t_j || (n_i == 0) != (n_j == 0)) {
    if (up_i != up_j)
      parts.kinetic += bond.hopping * hop_ratio(walk, at, walker, true, up_i ? i : j, up_i ? j : i);
    if (down_i != down_j)
      parts.kinetic += bond.hopping * hop_ratio(walk, at, walker, false, down_i ? i : j, down_i ? j : i);
  } else if (walk.is_t_j && n_i == 1 && up_i != up_j && bond.half_j != 0.0) {
    const int up = up_i ? i : j, down = up_i ? j : i;
    const double ratio =
        walker.ratio(walk, exchange_between(at, up, down)) * projection_of_exchange(walk, at, up, down);
    parts.exchange -= bond.half_j * (ratio + 1.0);
  }
}

/// Parts of <x|H|psi> / <x|psi> but for double occupancies. All threads get them.
template <class Group, class Places, class Walker>
CISOLVE_GROUP EnergyParts local_energy(const Group& group, const WalkView& walk, const BondsView& bonds,
                                       const Places& at, const Walker& walker, double* shared) {
  EnergyParts parts;
  for (int b = group.rank(); b < bonds.count; b += Group::size)
    add_bond(walk, at, walker, bonds.bonds[b], parts);
  parts.kinetic = group.sum(parts.kinetic, shared);
  parts.exchange = group.sum(parts.exchange, shared);
  parts.density = group.sum(parts.density, shared);
  return parts;
}

/// sum_pq W(q, p) d phi(u_p, d_q), W = M^-1. @pre settled
template <class Group, class Walker>
CISOLVE_GROUP double derivative_of_pairs(const Group& group, const WalkView& walk, const TrialView& trial,
                                         const PlacesView& at, const Walker& walker, const double* derivative,
                                         double* shared) {
  double sum = 0.0;
  for (int q = group.warp(); q < walk.down; q += Group::warps) {
    const int down = trial.place[at.down[q]];
    for (int p = group.lane(); p < walk.up; p += Group::lanes)
      sum = fma(walker.inverse(q, p), derivative[trial.place[at.up[p]] - down], sum);
  }
  return group.sum(sum, shared);
}

/// Sum of (n_i - 1)(n_j - 1), or of Sz_i Sz_j, over the pairs of a shell.
template <class Group>
CISOLVE_GROUP double derivative_of_jastrow(const Group& group, const PlacesView& at,
                                           const ParameterView& which, double* shared) {
  const bool is_spin = which.kind == ParameterView::spin_jastrow;
  // Charges or twice the spins, whose sums are exact.
  const auto value = [&](int site) {
    const int up = at.at_up[site] >= 0, down = at.at_down[site] >= 0;
    return is_spin ? up - down : up + down - 1;
  };
  int sum = 0;
  for (int p = group.rank(); p < which.num_pairs; p += Group::size)
    sum += value(which.pairs[p].i) * value(which.pairs[p].j);
  return group.sum(static_cast<double>(sum), shared) * (is_spin ? 0.25 : 1.0);
}

/// d ln|psi| by a parameter. @pre settled
template <class Group, class Walker>
CISOLVE_GROUP double log_derivative(const Group& group, const WalkView& walk, const TrialView& trial,
                                    const PlacesView& at, const Walker& walker, const ParameterView& which,
                                    int double_occupancies, double* shared) {
  switch (which.kind) {
    case ParameterView::of_pairs:
      if (which.derivative == nullptr) return 0.0;
      return derivative_of_pairs(group, walk, trial, at, walker, which.derivative, shared);
    case ParameterView::jastrow:
    case ParameterView::spin_jastrow:
      return derivative_of_jastrow(group, at, which, shared);
    case ParameterView::log_gutzwiller:
      break;
  }
  return double_occupancies;
}

/// Correlations of one displacement.
struct CorrelationTermsOfPlace {
  double n_n = 0.0, sz_sz = 0.0, s_s = 0.0, hop_up = 0.0, hop_down = 0.0;
};

/// Moves between two sites whose ratios are wanted, null where there are none, and their factors.
struct PairMoves {
  Move exchange = {}, up = {}, down = {};
  double exchange_factor = 1.0, up_factor = 0.0, down_factor = 0.0;
};

/// The hop of an electron of one spin from site j to site i, if there can be one.
template <class Places>
CISOLVE_GROUP Move hop_between(const WalkView& walk, const Places& at, bool is_up, int i, int j,
                               double& factor) {
  const Site* own = is_up ? at.at_up : at.at_down;
  const Site* other = is_up ? at.at_down : at.at_up;
  if (own[j] < 0 || own[i] >= 0 || (walk.is_t_j && other[i] >= 0))
    return make_move(MoveKind::null, -1, -1, -1, -1);
  factor *= projection_of_hop(walk, at, is_up, j, i);
  return hop_of(at, is_up, j, i);
}

/// Adds what positions tell of two sites. @return what is to be looked up besides
template <class Places>
CISOLVE_GROUP PairMoves begin_pair(const WalkView& walk, const Places& at, int i, int j, double sign,
                                   CorrelationTermsOfPlace& sums) {
  const int up_i = at.at_up[i] >= 0, up_j = at.at_up[j] >= 0;
  const int down_i = at.at_down[i] >= 0, down_j = at.at_down[j] >= 0;
  sums.n_n += (up_i + down_i) * (up_j + down_j);
  const double sz_sz = 0.25 * ((up_i - down_i) * (up_j - down_j));
  sums.sz_sz += sz_sz;
  sums.s_s += sz_sz;
  PairMoves moves{.up_factor = sign, .down_factor = sign};
  if (i == j) {
    if (up_i != down_i) sums.s_s += 0.5;
    sums.hop_up += up_i;
    sums.hop_down += down_i;
    return moves;
  }
  if (up_i + down_i == 1 && up_j + down_j == 1 && up_i != up_j) {
    const int up = up_i != 0 ? i : j, down = up_i != 0 ? j : i;
    moves.exchange = exchange_between(at, up, down);
    moves.exchange_factor = projection_of_exchange(walk, at, up, down);
  }
  moves.up = hop_between(walk, at, true, i, j, moves.up_factor);
  moves.down = hop_between(walk, at, false, i, j, moves.down_factor);
  return moves;
}

/// Pairs of sites that are looked up together, so that their memory is waited for once.
inline constexpr int pairs_together = 4;

/// Pairs of one displacement from number `first` on.
template <class Places, class Walker>
CISOLVE_GROUP void add_pairs(const WalkView& walk, const CorrelationView& view, const Places& at,
                             const Walker& walker, int place, int first, CorrelationTermsOfPlace& sums) {
  const bool is_pairs = view.terms == 1;
  PairMoves moves[pairs_together];
  CISOLVE_UNROLL for (int v = 0; v < pairs_together; ++v) {
    const int term = first + v;
    if (term >= view.terms) continue;
    const std::ptrdiff_t number = std::ptrdiff_t{term} * view.places + place;
    const int i = is_pairs ? place / walk.sites : view.i[number];
    const int j = is_pairs ? place % walk.sites : term;
    moves[v] = begin_pair(walk, at, i, j, is_pairs ? 1.0 : view.sign[number], sums);
  }
  double flips[pairs_together], ups[pairs_together], downs[pairs_together];
  CISOLVE_UNROLL for (int v = 0; v < pairs_together; ++v) {
    flips[v] = walker.exchange_or_zero(walk, moves[v].exchange);
    ups[v] = walker.hop_or_zero(walk, moves[v].up, true);
    downs[v] = walker.hop_or_zero(walk, moves[v].down, false);
  }
  CISOLVE_UNROLL for (int v = 0; v < pairs_together; ++v) {
    sums.s_s -= 0.5 * moves[v].exchange_factor * flips[v];
    sums.hop_up += moves[v].up_factor * ups[v];
    sums.hop_down += moves[v].down_factor * downs[v];
  }
}

/// Adds the correlations of a configuration to `sums` and the arrays `stride` behind each other. @pre settled
template <class Group, class Places, class Walker>
CISOLVE_GROUP void add_correlations(const Group& group, const WalkView& walk, const CorrelationView& view,
                                    const Places& at, const Walker& walker, double* sums,
                                    std::ptrdiff_t stride) {
  for (int place = group.rank(); place < view.places; place += Group::size) {
    CorrelationTermsOfPlace terms;
    for (int first = 0; first < view.terms; first += pairs_together)
      add_pairs(walk, view, at, walker, place, first, terms);
    double* to = sums + place;
    to[0] += view.weight * terms.n_n;
    to[stride] += view.weight * terms.sz_sz;
    to[2 * stride] += view.weight * terms.s_s;
    to[3 * stride] += view.weight * terms.hop_up;
    to[4 * stride] += view.weight * terms.hop_down;
  }
}

}  // namespace cisolve::cuda::sampling
