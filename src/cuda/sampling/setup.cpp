// SPDX-License-Identifier: MIT
#include "cuda/sampling/setup.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cuda/sampling/shell_pairs.hpp"
#include "sampling/chain.hpp"
#include "sampling/measurements.hpp"

namespace cisolve::cuda::sampling {
namespace {

template <class T>
std::span<const T> view_of(const std::vector<T>& values) {
  return std::span(values);
}

std::vector<Site> as_sites(const std::vector<int>& numbers) {
  std::vector<Site> sites(numbers.size());
  std::ranges::transform(numbers, sites.begin(), [](int number) { return static_cast<Site>(number); });
  return sites;
}

}  // namespace

int largest_order(const TrialState& trial) {
  const ElectronNumbers n = trial.electrons;
  return trial.is_sea() ? std::max(n.up, n.down) : n.up + trial.num_ghosts();
}

WalkView walk_of(const LatticeModel& model, const TrialState& trial) {
  WalkView walk;
  walk.sites = model.sites();
  walk.up = trial.electrons.up;
  walk.down = trial.electrons.down;
  walk.is_t_j = model.is_t_j();
  walk.is_sea = trial.is_sea();
  return walk;
}

SetupArrays::SetupArrays(const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
                         const Stream& stream) {
  if (model.sites() > std::numeric_limits<Site>::max())
    throw DimensionError("chains on a device have up to 32767 sites");
  Uploads upload(stream);
  take_walk(model, trial, config, upload);
  take_trial(trial, upload);
  take_bonds(model, upload);
  take_correlations(model, upload);
  stream.synchronize();  // what was uploaded may go
}

void SetupArrays::take_walk(const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
                            Uploads& upload) {
  const cisolve::sampling::WalkRules rules(model, trial, config);
  walk_ = walk_of(model, trial);
  walk_.directions = rules.directions;
  walk_.near_below = rules.near_below;
  walk_.exchange_below = rules.exchange_below;
  walk_.seed = config.seed;
  const double g = trial.parameters.gutzwiller;
  walk_.weight[0] = 1.0 / g;
  walk_.weight[2] = g;
  take_jastrow(trial.jastrow, upload);
  neighbours_ = upload(view_of(as_sites(rules.neighbours)));
  walk_.neighbours = neighbours_.data();
}

void SetupArrays::take_trial(const TrialState& trial, Uploads& upload) {
  trial_.ghosts = trial.is_sea() ? 0 : trial.num_ghosts();
  if (trial.is_sea()) {
    const int sites = trial.sites, count = largest_order(trial);
    std::vector<double> orbitals;
    for (int i = 0; i < sites; ++i) {
      for (int k = 0; k < count; ++k) orbitals.push_back(trial.orbitals(i, k));
    }
    orbitals_ = upload(view_of(orbitals));
    trial_.orbitals = orbitals_.data();
    trial_.orbital_stride = count;
    take_parameters(trial, upload);
    return;
  }
  place_ = upload(std::span<const std::int32_t>(trial.phi.place));
  phi_ = upload(view_of(trial.phi.value));
  ghosts_ = upload(view_of(trial.ghosts));
  trial_.place = place_.data();
  trial_.phi = phi_.data() + trial.phi.centre;
  trial_.ghost = ghosts_.data();
  take_parameters(trial, upload);
}

void SetupArrays::take_jastrow(const JastrowFactor& jastrow, Uploads& upload) {
  if (jastrow.is_empty()) return;
  shells_ = upload(std::span<const Site>(jastrow.shells.number));
  like_ = upload(view_of(jastrow.like));
  unlike_ = upload(view_of(jastrow.unlike));
  offset_ = upload(view_of(jastrow.offset));
  walk_.jastrow = {shells_.data(), like_.data(), unlike_.data(), offset_.data()};
}

void SetupArrays::take_parameters(const TrialState& trial, Uploads& upload) {
  const ShellPairs pairs(trial.jastrow.shells);
  pairs_ = upload(view_of(pairs.pairs()));
  std::vector<ParameterView> parameters;
  derivatives_.resize(trial.varied.size());
  for (std::size_t a = 0; a < trial.varied.size(); ++a) {
    ParameterView& one = parameters.emplace_back(view_of(trial.varied[a]));
    pairs.put_into(one, trial.varied[a], pairs_.data());
    if (trial.phi_derivatives[a].empty()) continue;
    derivatives_[a] = upload(view_of(trial.phi_derivatives[a]));
    one.derivative = derivatives_[a].data() + trial.phi.centre;
  }
  parameters_ = upload(view_of(parameters));
  trial_.num_parameters = static_cast<int>(parameters.size());
  trial_.parameters = parameters_.data();
}

void SetupArrays::take_bonds(const LatticeModel& model, Uploads& upload) {
  std::vector<BondView> bonds;
  for (const LatticeBond& bond : model.bonds)
    bonds.push_back({bond.pair.i, bond.pair.j, -bond.t * bond.pair.phase.real(), 0.5 * bond.j, bond.v});
  bond_list_ = upload(view_of(bonds));
  bonds_ = {bond_list_.data(), static_cast<int>(bonds.size()), model.parameters.u};
}

void SetupArrays::take_correlations(const LatticeModel& model, Uploads& upload) {
  const cisolve::sampling::CorrelationPlaces places(model.cluster);
  const int sites = places.sites(), count = places.count();
  correlations_.places = count;
  correlations_.weight = places.weight();
  correlations_.terms = 1;
  if (count != sites) return;  // pairs, each by itself
  correlations_.terms = sites;
  const std::size_t pairs = static_cast<std::size_t>(sites) * static_cast<std::size_t>(sites);
  std::vector<Site> first(pairs);
  std::vector<std::int8_t> signs(pairs);
  for (int j = 0; j < sites; ++j) {
    for (int i = 0; i < sites; ++i) {
      const auto at = static_cast<std::size_t>(j) * static_cast<std::size_t>(count) +
                      static_cast<std::size_t>(places.number(i, j));
      first[at] = static_cast<Site>(i);
      signs[at] = places.sign(i, j) < 0.0 ? -1 : 1;
    }
  }
  sites_of_pairs_ = upload(view_of(first));
  signs_ = upload(view_of(signs));
  correlations_.i = sites_of_pairs_.data();
  correlations_.sign = signs_.data();
}

void SetupArrays::put_into(Setup& setup) const {
  setup.walk = walk_;
  setup.trial = trial_;
  setup.bonds = bonds_;
  setup.correlations = correlations_;
}

}  // namespace cisolve::cuda::sampling
