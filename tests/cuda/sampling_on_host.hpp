// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/sampling/delayed_table.hpp"
#include "cuda/sampling/rebuild.hpp"
#include "cuda/sampling/shell_pairs.hpp"
#include "cuda/sampling/tables.hpp"
#include "sampling/chain.hpp"
#include "sampling/measurements.hpp"
#include "sampling/reference_state.hpp"

// What kernels of Markov chains are given, in memory of the host, where one thread can do what they do.

namespace cisolve::cuda::sampling::test {

using cisolve::sampling::Configuration;
using cisolve::sampling::WalkRules;
using cisolve::test::ReferenceState;

inline constexpr SerialGroup one;

/// What kernels are given, in memory of the host.
class HostSetup {
public:
  HostSetup(const ReferenceState& state, const TrialState& from, const WalkConfig& config)
      : rules(state.model, from, config) {
    walk.sites = state.model.sites();
    walk.up = from.electrons.up;
    walk.down = from.electrons.down;
    walk.is_t_j = state.model.is_t_j();
    walk.is_sea = from.is_sea();
    walk.directions = rules.directions;
    walk.near_below = rules.near_below;
    walk.exchange_below = rules.exchange_below;
    neighbours_.assign(rules.neighbours.begin(), rules.neighbours.end());
    walk.neighbours = neighbours_.data();
    const double g = from.parameters.gutzwiller;
    std::ranges::copy(std::array{1.0 / g, 1.0, g}, walk.weight);
    jastrow_ = from.jastrow;
    if (!jastrow_.is_empty())
      walk.jastrow = {jastrow_.shells.number.data(), jastrow_.like.data(), jastrow_.unlike.data(),
                      jastrow_.offset.data()};
    walk.seed = config.seed;
    pairs_ = ShellPairs(jastrow_.shells);
    take_trial(from);
    for (const LatticeBond& bond : state.model.bonds)
      bond_list_.push_back(
          {bond.pair.i, bond.pair.j, -bond.t * bond.pair.phase.real(), 0.5 * bond.j, bond.v});
    bonds = {bond_list_.data(), static_cast<int>(bond_list_.size()), state.model.parameters.u};
    take_correlations(state.model);
    order = from.is_sea() ? std::max(walk.up, walk.down) : walk.up + trial.ghosts;
    pool_doubles_.resize(static_cast<std::size_t>(ScratchPool::doubles_for(order, walk.sites)));
    pool_rows_.resize(static_cast<std::size_t>(ScratchPool::padded(order)));
    scratch = ScratchPool{pool_doubles_.data(), pool_rows_.data(), 0, order, walk.sites}.of(0);
  }

  WalkRules rules;
  WalkView walk = {};
  TrialView trial = {};
  BondsView bonds = {};
  CorrelationView correlations = {};
  Scratch scratch = {};
  int order = 0;

private:
  void take_trial(const TrialState& from) {
    trial.ghosts = from.is_sea() ? 0 : from.num_ghosts();
    derivatives_ = from.phi_derivatives;
    for (std::size_t a = 0; a < from.varied.size(); ++a) {
      ParameterView& parameter = parameters_.emplace_back(view_of(from.varied[a]));
      pairs_.put_into(parameter, from.varied[a], pairs_.pairs().data());
      if (!derivatives_[a].empty()) parameter.derivative = derivatives_[a].data() + from.phi.centre;
    }
    trial.num_parameters = static_cast<int>(parameters_.size());
    trial.parameters = parameters_.data();
    if (from.is_sea()) {
      for (int i = 0; i < from.sites; ++i) {
        for (int k = 0; k < from.orbitals.columns(); ++k) by_rows_.push_back(from.orbitals(i, k));
      }
      trial.orbitals = by_rows_.data();
      trial.orbital_stride = from.orbitals.columns();
      return;
    }
    place_.assign(from.phi.place.begin(), from.phi.place.end());
    phi_ = from.phi.value;
    ghosts_ = from.ghosts;
    trial.place = place_.data();
    trial.phi = phi_.data() + from.phi.centre;
    trial.ghost = ghosts_.data();
  }

  void take_correlations(const LatticeModel& model) {
    const cisolve::sampling::CorrelationPlaces places(model.cluster);
    const int sites = places.sites(), count = places.count();
    correlations.places = count;
    correlations.weight = places.weight();
    correlations.terms = 1;
    if (count != sites) return;
    correlations.terms = sites;
    const auto pairs = static_cast<std::size_t>(sites * sites);
    first_.resize(pairs);
    signs_.resize(pairs);
    for (int i = 0; i < sites; ++i) {
      for (int j = 0; j < sites; ++j) {
        const auto at = static_cast<std::size_t>(j * count + places.number(i, j));
        first_[at] = static_cast<Site>(i);
        signs_[at] = places.sign(i, j) < 0.0 ? -1 : 1;
      }
    }
    correlations.i = first_.data();
    correlations.sign = signs_.data();
  }

  std::vector<Site> neighbours_, first_;
  std::vector<std::int8_t> signs_;
  std::vector<std::int32_t> place_, pool_rows_;
  std::vector<double> phi_, ghosts_, by_rows_, pool_doubles_;
  std::vector<std::vector<double>> derivatives_;
  std::vector<ParameterView> parameters_;
  std::vector<BondView> bond_list_;
  JastrowFactor jastrow_;
  ShellPairs pairs_{PairShells{}};
};

/// Places as kernels keep them, with room for fields.
struct HostPlaces {
  explicit HostPlaces(const Configuration& at, int sites)
      : all(static_cast<std::size_t>(4 * sites)),
        fields(static_cast<std::size_t>(2 * sites)), view{places_in(all.data(), sites), fields.data(),
                                                          fields.data() + sites} {
    const auto put = [sites](const cisolve::sampling::SpinPlaces& from, Site* list, Site* at_sites) {
      std::ranges::copy(from.free(), std::ranges::copy(from.occupied(), list).out);
      for (int site = 0; site < sites; ++site) at_sites[site] = static_cast<Site>(from.at(site));
    };
    put(at.up, view.up, view.at_up);
    put(at.down, view.down, view.at_down);
  }

  bool operator==(const HostPlaces& other) const { return all == other.all; }

  std::vector<Site> all;
  std::vector<double> fields;
  PlacesWithFields view;
};

/// A walker of a kernel with its memory.
template <class Walker>
struct OwnWalker;

template <int columns>
struct OwnWalker<PairWalker<EagerTable<columns>>> {
  explicit OwnWalker(const WalkView& walk, int)
      : doubles(static_cast<std::size_t>(walk.sites * (walk.sites | 1))),
        changes(static_cast<std::size_t>(4 * walk.sites)) {
    walker.table = {.t = doubles.data(),
                    .c = changes.data(),
                    .r = changes.data() + 2 * walk.sites,
                    .rows = walk.sites,
                    .columns = walk.sites,
                    .stride = walk.sites | 1};
  }
  double remake(const HostSetup& setup, const PlacesView& at) {
    double reductions[64];
    const PairSource source{setup.walk, setup.trial, at};
    solve(one, source, setup.scratch, reductions);
    Drift drift;
    store_table(one, source, setup.scratch, walker.table.t, walker.table.row_stride(), drift);
    return drift.value();
  }
  std::vector<double> doubles, changes;
  PairWalker<EagerTable<columns>> walker;
};

template <>
struct OwnWalker<PairWalker<DelayedTable>> {
  explicit OwnWalker(const WalkView& walk, int ranks) {
    const int stride = DelayedTable::stride_for(walk.sites), t_stride = ScratchPool::padded(walk.sites);
    doubles.resize(static_cast<std::size_t>(walk.sites * t_stride));
    pending.resize(static_cast<std::size_t>(2 * ranks * stride));
    walker.table = {.t = doubles.data(),
                    .c = pending.data(),
                    .r = pending.data() + ranks * stride,
                    .order = walk.sites,
                    .t_stride = t_stride,
                    .stride = stride,
                    .most = ranks};
  }
  double remake(const HostSetup& setup, const PlacesView& at) {
    double reductions[64];
    walker.settle(one);
    const PairSource source{setup.walk, setup.trial, at};
    solve(one, source, setup.scratch, reductions);
    Drift drift;
    store_table(one, source, setup.scratch, walker.table.t, walker.table.row_stride(), drift);
    return drift.value();
  }
  std::vector<double> doubles, pending;
  PairWalker<DelayedTable> walker;
};

template <>
struct OwnWalker<SeaWalker<EagerTable<1>>> {
  explicit OwnWalker(const WalkView& walk, int)
      : doubles(static_cast<std::size_t>(4 * walk.sites * walk.sites)),
        changes(static_cast<std::size_t>(4 * walk.sites)) {
    const auto table = [&](double* t, int electrons) {
      return EagerTable<1>{.t = t,
                           .c = changes.data(),
                           .r = changes.data() + 2 * walk.sites,
                           .rows = walk.sites - electrons,
                           .columns = electrons,
                           .stride = ScratchPool::padded(electrons)};
    };
    walker = {table(doubles.data(), walk.up), table(doubles.data() + 2 * walk.sites * walk.sites, walk.down)};
  }
  double remake(const HostSetup& setup, const PlacesView& at) {
    double reductions[64];
    Drift drift;
    const auto remake_spin = [&](auto& table, const Site* sites, int electrons) {
      const SeaSource source{setup.walk, setup.trial, sites, electrons};
      solve(one, source, setup.scratch, reductions);
      store_table(one, source, setup.scratch, table.t, table.stride, drift);
    };
    remake_spin(walker.up, at.up, setup.walk.up);
    remake_spin(walker.down, at.down, setup.walk.down);
    return drift.value();
  }
  std::vector<double> doubles, changes;
  SeaWalker<EagerTable<1>> walker;
};

}  // namespace cisolve::cuda::sampling::test
