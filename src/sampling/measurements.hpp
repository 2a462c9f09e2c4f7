// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"
#include "sampling/configuration.hpp"
#include "sampling/projection.hpp"

// What is measured in a configuration, by a walker that is settled, which gives settled_ratio(at, move), and the projection
// there.

namespace cisolve::sampling {

/// Parts of <x|H|psi> / <x|psi>.
struct LocalEnergy {
  double kinetic = 0.0;
  double exchange = 0.0;  ///< J
  double density = 0.0;   ///< V
  int double_occupancies = 0;

  double total(double u) const { return kinetic + exchange + u * double_occupancies + density; }
};

/// The Hamiltonian as local energies need it.
class EnergyTerms {
public:
  explicit EnergyTerms(const LatticeModel& model);

  double u() const { return u_; }

  template <class Walker>
  LocalEnergy measure(const Configuration& at, const Walker& walker, const Projection& projection) const {
    LocalEnergy energy{.double_occupancies = at.double_occupancies};
    const auto ratio = [&](const Move& move) {
      return walker.settled_ratio(at, move) * projection.ratio(at, move);
    };
    for (std::size_t first = 0; first < bonds_.size(); first += most_listed)
      add_bonds(at, ratio, std::span(bonds_).subspan(first, std::min(most_listed, bonds_.size() - first)),
                energy);
    return energy;
  }

private:
  struct Bond {
    int i = 0, j = 0;
    double hopping = 0.0;  // -t phase
    double half_j = 0.0, v = 0.0;
  };

  static constexpr std::size_t most_listed = 64;

  /// Lists first which bonds take part: asked one by one, spins that are as good as random would be guessed wrong as often.
  template <class Ratio>
  void add_bonds(const Configuration& at, const Ratio& ratio, std::span<const Bond> bonds,
                 LocalEnergy& energy) const {
    const Bond* ups[most_listed];
    const Bond* downs[most_listed];
    const Bond* exchanges[most_listed];
    int num_ups = 0, num_downs = 0, num_exchanges = 0;
    for (const Bond& bond : bonds) {
      const int up_i = at.up.has(bond.i), up_j = at.up.has(bond.j), down_i = at.down.has(bond.i),
                down_j = at.down.has(bond.j);
      const int n_i = up_i + down_i, n_j = up_j + down_j;
      // In the t-J model the other site is empty.
      const int is_open = is_t_j_ ? (n_i == 0) != (n_j == 0) : 1;
      ups[num_ups] = &bond;
      num_ups += is_open & (up_i ^ up_j);
      downs[num_downs] = &bond;
      num_downs += is_open & (down_i ^ down_j);
      exchanges[num_exchanges] = &bond;
      num_exchanges += is_t_j_ & (n_i == 1) & (n_j == 1) & (up_i ^ up_j);
      energy.density += bond.v * n_i * n_j;
    }
    for (int k = 0; k < num_ups; ++k)
      energy.kinetic += ups[k]->hopping * ratio(hop<MoveKind::hop_up>(at.up, *ups[k]));
    for (int k = 0; k < num_downs; ++k)
      energy.kinetic += downs[k]->hopping * ratio(hop<MoveKind::hop_down>(at.down, *downs[k]));
    for (int k = 0; k < num_exchanges; ++k) {
      if (exchanges[k]->half_j != 0.0)
        energy.exchange -= exchanges[k]->half_j * (ratio(exchange(at, *exchanges[k])) + 1.0);
    }
  }

  template <MoveKind kind>
  static Move hop(const SpinPlaces& own, const Bond& bond) {
    const bool is_from_i = own.has(bond.i);
    Move move{.kind = kind};
    (kind == MoveKind::hop_up ? move.up : move.down) = own.at(is_from_i ? bond.i : bond.j);
    (kind == MoveKind::hop_up ? move.up_slot : move.down_slot) = ~own.at(is_from_i ? bond.j : bond.i);
    return move;
  }

  static Move exchange(const Configuration& at, const Bond& bond) {
    const bool is_up_at_i = at.up.has(bond.i);
    const int up_site = is_up_at_i ? bond.i : bond.j, down_site = is_up_at_i ? bond.j : bond.i;
    return {MoveKind::exchange, at.up.at(up_site), ~at.up.at(down_site), at.down.at(down_site),
            ~at.down.at(up_site)};
  }

  bool is_t_j_ = false;
  double u_ = 0.0;
  std::vector<Bond> bonds_;
};

/// Where what is between two sites is collected.
class CorrelationPlaces {
public:
  explicit CorrelationPlaces(const Cluster& cluster);

  int count() const { return count_; }
  int sites() const { return static_cast<int>(place_.size()); }
  double weight() const { return weight_; }
  /// Number of the displacement from j to i, or of the pair.
  int number(int i, int j) const {
    return number_[is_pairs_ ? place_[i] + j : place_[i] - place_[j] + centre_];
  }
  /// Sign of the boundaries that it crosses beyond those of the displacement itself.
  double sign(int i, int j) const { return is_pairs_ ? 1.0 : sign_[place_[i] - place_[j] + centre_]; }

private:
  bool is_pairs_ = false;
  int count_ = 0, centre_ = 0;
  double weight_ = 1.0;
  std::vector<int> place_, number_;
  std::vector<double> sign_;
};

/// Correlations of one chain, added to these arrays.
struct CorrelationSums {
  double* n_n = nullptr;
  double* sz_sz = nullptr;
  double* s_s = nullptr;
  double* hop_up = nullptr;
  double* hop_down = nullptr;
};

/// Adds n_i n_j, Sz_i Sz_j, S_i.S_j and c+_i c_j in a configuration; in the t-J model of the projected operators.
class CorrelationTerms {
public:
  explicit CorrelationTerms(const LatticeModel& model);

  const CorrelationPlaces& places() const { return places_; }

  template <class Walker>
  void measure(const Configuration& at, const Walker& walker, const Projection& projection,
               const CorrelationSums& sums) const {
    const auto ratio = [&](const Move& move) {
      return walker.settled_ratio(at, move) * projection.ratio(at, move);
    };
    add_densities(at, sums);
    add_exchanges(at, ratio, sums.s_s);
    add_hops<MoveKind::hop_up>(at, ratio, sums.hop_up);
    add_hops<MoveKind::hop_down>(at, ratio, sums.hop_down);
  }

private:
  /// What positions tell: n_i n_j, Sz_i Sz_j, and S_i.S_j without its flips.
  void add_densities(const Configuration& at, const CorrelationSums& sums) const {
    const int sites = places_.sites();
    const double weight = places_.weight(), quarter = 0.25 * weight;
    for (int i = 0; i < sites; ++i) {
      const int up = at.up.has(i), down = at.down.has(i);
      if (up + down == 0) continue;
      for (int j = 0; j < sites; ++j) {
        const int up_j = at.up.has(j), down_j = at.down.has(j), number = places_.number(i, j);
        sums.n_n[number] += weight * ((up + down) * (up_j + down_j));
        const double sz_sz = quarter * ((up - down) * (up_j - down_j));
        sums.sz_sz[number] += sz_sz;
        sums.s_s[number] += sz_sz;
      }
      // At a site itself it is 3/4 instead of 1/4.
      if (up != down) sums.s_s[places_.number(i, i)] += 2.0 * quarter;
    }
  }

  /// An up electron goes from one site to another, whose down electron comes back.
  template <class Ratio>
  void add_exchanges(const Configuration& at, const Ratio& ratio, double* s_s) const {
    const int ups = static_cast<int>(at.up.occupied().size()),
              downs = static_cast<int>(at.down.occupied().size());
    const double half = 0.5 * places_.weight();
    for (int q = 0; q < downs; ++q) {
      const int j = at.down.occupied()[q];
      if (at.up.has(j)) continue;
      for (int p = 0; p < ups; ++p) {
        const int i = at.up.occupied()[p];
        if (at.down.has(i)) continue;
        const double flip = half * ratio(Move{MoveKind::exchange, p, ~at.up.at(j), q, ~at.down.at(i)});
        s_s[places_.number(i, j)] -= flip;
        s_s[places_.number(j, i)] -= flip;
      }
    }
  }

  template <MoveKind kind, class Ratio>
  void add_hops(const Configuration& at, const Ratio& ratio, double* sums) const {
    const SpinPlaces& own = kind == MoveKind::hop_up ? at.up : at.down;
    const SpinPlaces& other = kind == MoveKind::hop_up ? at.down : at.up;
    const int electrons = static_cast<int>(own.occupied().size()),
              slots = static_cast<int>(own.free().size());
    for (int slot = 0; slot < slots; ++slot) {
      const int to = own.free()[slot];
      if (is_t_j_ && other.has(to)) continue;
      for (int e = 0; e < electrons; ++e) {
        const int from = own.occupied()[e];
        const Move move = kind == MoveKind::hop_up ? Move{.kind = kind, .up = e, .up_slot = slot}
                                                   : Move{.kind = kind, .down = e, .down_slot = slot};
        sums[places_.number(to, from)] += places_.weight() * places_.sign(to, from) * ratio(move);
      }
    }
    for (const int site : own.occupied()) sums[places_.number(site, site)] += places_.weight();
  }

  bool is_t_j_ = false;
  CorrelationPlaces places_;
};

}  // namespace cisolve::sampling
