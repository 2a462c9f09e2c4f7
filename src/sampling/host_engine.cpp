// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "sampling/chain.hpp"
#include "sampling/derivatives.hpp"
#include "sampling/measurements.hpp"
#include "sampling/table_kernels.hpp"
#include "sampling/table_walker.hpp"

namespace cisolve {
namespace sampling {
namespace {

// Steps whose random words are drawn at a time; a multiple of 16.
constexpr int words_at_a_time = 256;

/// What a thread needs to advance a chain.
struct ChainWorker {
  explicit ChainWorker(const TrialState& trial)
      : walker(trial), projection(trial), terms(trial), derivatives(trial.varied.size()) {}

  TableWalker walker;
  Projection projection;
  DerivativeTerms terms;
  std::vector<double> derivatives;
  std::array<std::array<std::uint32_t, words_at_a_time>, 4> words = {};
};

/// A chain between blocks; its table is among those of all chains.
struct HostChain {
  Configuration at;
  std::uint64_t steps = 0;
  int rebuild_interval = 0;
  StepCounts counts = {};
};

void require_config(const WalkConfig& config) {
  const auto require = [](bool is_right, const char* name, double value, const char* range) {
    if (!is_right) throw InputError(fmt::format("{} is {}; it is to be {}", name, value, range));
  };
  require(config.block >= 1, "block", config.block, "at least 1");
  require(config.drift_tolerance > 0.0, "drift_tolerance", config.drift_tolerance, "above 0");
  require(config.start_attempts >= 1, "start_attempts", config.start_attempts, "at least 1");
}

void resize_sums(const BlockPlan& plan, int chains, int parameters, int displacements, BlockSums& sums) {
  sums.chains = chains;
  sums.energies_per_chain = plan.measurements(plan.energy_interval);
  sums.correlations_per_chain = plan.measurements(plan.correlation_interval);
  sums.parameters = plan.with_derivatives ? parameters : 0;
  sums.displacements = sums.correlations_per_chain > 0 ? displacements : 0;
  const auto zero = [chains](auto& array, int per_chain) {
    array.assign(static_cast<std::size_t>(chains) * static_cast<std::size_t>(per_chain), 0);
  };
  zero(sums.energy, sums.energies_per_chain);
  for (auto* array :
       {&sums.kinetic, &sums.exchange, &sums.double_occupancy, &sums.density, &sums.kinetic_squared,
        &sums.exchange_squared, &sums.double_occupancy_squared, &sums.density_squared, &sums.drift})
    zero(*array, 1);
  zero(sums.accepted, 1);
  zero(sums.derivative, sums.parameters);
  zero(sums.derivative_energy, sums.parameters);
  zero(sums.derivative_product, sums.parameters * sums.parameters);
  for (auto* array : {&sums.n_n, &sums.sz_sz, &sums.s_s, &sums.hop_up, &sums.hop_down})
    zero(*array, sums.displacements);
}

class HostEngine final : public ChainEngine {
public:
  HostEngine(const LatticeModel& model, const TrialState& trial, const WalkConfig& config,
             std::uint32_t first_chain, int chains)
      : model_(model), config_(config), trial_(std::make_unique<TrialState>(trial)),
        rules_(model_, trial, config), energy_(model_), correlations_(model_), first_chain_(first_chain) {
    require_config(config);
    if (chains < 1) throw DimensionError("make_host_engine: no chains");
    chains_.assign(
        static_cast<std::size_t>(chains),
        HostChain{.at = Configuration(model.sites(), trial.electrons), .rebuild_interval = config.block});
    prepare_workers();
    table_size_ = workers_.front()->walker.size();
    tables_ = Array<double>(table_size_ * chains_.size());
    // By the threads that will use them, as far as can be known, so that the pages are near these.
    for_each_chain([&](ChainWorker&, int c) { std::fill_n(table_of(c), table_size_, 0.0); });
  }

  void draw_starts() {
    for_each_chain([&](ChainWorker& worker, int c) { draw_start_of(worker, c); });
    rebuild_tables();
  }

  void advance_block(const BlockPlan& plan, BlockSums& sums) override {
    prepare_workers();
    resize_sums(plan, static_cast<int>(chains_.size()), static_cast<int>(trial_->varied.size()),
                correlations_.places().count(), sums);
    for_each_chain([&](ChainWorker& worker, int c) { advance_chain(worker, c, plan, sums); });
  }

  ChainStates states() const override {
    ChainStates states{.first_chain = first_chain_, .chains = static_cast<int>(chains_.size())};
    for (const HostChain& chain : chains_) {
      for (const SpinPlaces* places : {&chain.at.up, &chain.at.down}) {
        states.places.insert(states.places.end(), places->occupied().begin(), places->occupied().end());
        states.places.insert(states.places.end(), places->free().begin(), places->free().end());
      }
      states.steps.push_back(chain.steps);
      states.rebuild_interval.push_back(chain.rebuild_interval);
      states.counts.push_back(chain.counts);
    }
    return states;
  }

  void set_states(const ChainStates& states) override {
    const std::size_t chains = chains_.size(), sites = static_cast<std::size_t>(model_.sites());
    if (states.first_chain != first_chain_ || states.chains != static_cast<int>(chains) ||
        states.places.size() != 2 * sites * chains || states.steps.size() != chains ||
        states.rebuild_interval.size() != chains || states.counts.size() != chains)
      throw DimensionError("set_states: the states are of other chains");
    std::span<const int> places(states.places);
    for (std::size_t c = 0; c < chains; ++c) {
      HostChain& chain = chains_[c];
      for (SpinPlaces* of_spin : {&chain.at.up, &chain.at.down}) {
        const std::size_t electrons = of_spin->occupied().size();
        if (!of_spin->set(places.first(electrons), places.subspan(electrons, sites - electrons)))
          throw DimensionError("set_states: the places of a chain are no configuration");
        places = places.subspan(sites);
      }
      chain.at.count_double_occupancies();
      chain.steps = states.steps[c];
      chain.rebuild_interval = states.rebuild_interval[c];
      chain.counts = states.counts[c];
    }
    rebuild_tables();
  }

  void set_trial(const TrialState& trial) override {
    if (trial.electrons != trial_->electrons || trial.is_sea() != trial_->is_sea() ||
        trial.sites != trial_->sites)
      throw DimensionError("set_trial: a state of other electrons or another kind");
    workers_.clear();
    trial_ = std::make_unique<TrialState>(trial);
    rules_ = WalkRules(model_, trial, config_);
    prepare_workers();
    for_each_chain([&](ChainWorker& worker, int c) {
      // Where the new state vanishes nothing could be told from its table.
      if (!(worker.walker.reciprocal_condition(chains_[c].at) >= config_.start_rcond))
        draw_start_of(worker, c);
    });
    rebuild_tables();
  }

private:
  double* table_of(int c) { return tables_.data() + c * table_size_; }

  /// As many as there can be threads.
  void prepare_workers() {
    while (static_cast<int>(workers_.size()) < omp_get_max_threads())
      workers_.push_back(std::make_unique<ChainWorker>(*trial_));
  }

  template <class Body>
  void for_each_chain(const Body& body) {
    parallel_for(static_cast<std::int64_t>(chains_.size()), 1,
                 [&](std::int64_t c) { body(*workers_[omp_get_thread_num()], static_cast<int>(c)); });
  }

  void rebuild_tables() {
    prepare_workers();
    for_each_chain([&](ChainWorker& worker, int c) {
      worker.walker.attach(table_of(c));
      worker.walker.rebuild(chains_[c].at);
    });
  }

  void draw_start_of(ChainWorker& worker, int c) {
    Configuration& at = chains_[c].at;
    const std::uint32_t number = first_chain_ + static_cast<std::uint32_t>(c);
    double best = 0.0;
    for (int attempt = 0; attempt < config_.start_attempts; ++attempt) {
      draw_start(rules_, config_.seed, number, static_cast<std::uint32_t>(attempt), at);
      const double rcond = worker.walker.reciprocal_condition(at);
      if (rcond >= config_.start_rcond) return;
      best = std::max(best, rcond);
    }
    throw InputError(
        fmt::format("no configuration with a finite wavefunction found in {} attempts (best rcond {:.0e}); "
                    "the trial state may vanish for {} + {} electrons",
                    config_.start_attempts, best, trial_->electrons.up, trial_->electrons.down));
  }

  void sweep(ChainWorker& worker, HostChain& chain, std::uint32_t number) const {
    auto& [w0, w1, w2, w3] = worker.words;
    StepStream stream{
        .seed = config_.seed, .chain = number, .words = {w0.data(), w1.data(), w2.data(), w3.data()}};
    for (int left = rules_.sites; left > 0; left -= stream.count) {
      stream.first = chain.steps;
      stream.count = std::min(left, words_at_a_time);
      table_kernels().draw_words(stream);
      for (int i = 0; i < stream.count; ++i)
        take_step(rules_, {w0[i], w1[i], w2[i], w3[i]}, chain.at, worker.walker, worker.projection,
                  chain.counts);
      chain.steps += static_cast<std::uint64_t>(stream.count);
    }
  }

  void measure_energy(ChainWorker& worker, const HostChain& chain, int c, int measurement,
                      bool with_derivatives, BlockSums& sums) const {
    worker.walker.settle(chain.at);
    const LocalEnergy local = energy_.measure(chain.at, worker.walker, worker.projection);
    const double energy = local.total(energy_.u()), doubles = local.double_occupancies;
    const auto at = static_cast<std::size_t>(c);
    sums.energy[at * static_cast<std::size_t>(sums.energies_per_chain) +
                static_cast<std::size_t>(measurement)] = energy;
    sums.kinetic[at] += local.kinetic;
    sums.exchange[at] += local.exchange;
    sums.double_occupancy[at] += doubles;
    sums.density[at] += local.density;
    sums.kinetic_squared[at] += local.kinetic * local.kinetic;
    sums.exchange_squared[at] += local.exchange * local.exchange;
    sums.double_occupancy_squared[at] += doubles * doubles;
    sums.density_squared[at] += local.density * local.density;
    if (!with_derivatives) return;
    const auto parameters = static_cast<std::size_t>(sums.parameters);
    const std::vector<double>& o = worker.derivatives;
    worker.terms.measure(chain.at, worker.walker, worker.derivatives.data());
    for (std::size_t a = 0; a < parameters; ++a) {
      sums.derivative[at * parameters + a] += o[a];
      sums.derivative_energy[at * parameters + a] += o[a] * energy;
      double* products = sums.derivative_product.data() + (at * parameters + a) * parameters;
      for (std::size_t b = 0; b < parameters; ++b) products[b] += o[a] * o[b];
    }
  }

  void measure_correlations(ChainWorker& worker, const HostChain& chain, int c, BlockSums& sums) const {
    worker.walker.settle(chain.at);
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(c) * sums.displacements;
    correlations_.measure(
        chain.at, worker.walker, worker.projection,
        {&sums.n_n[first], &sums.sz_sz[first], &sums.s_s[first], &sums.hop_up[first], &sums.hop_down[first]});
  }

  void advance_chain(ChainWorker& worker, int c, const BlockPlan& plan, BlockSums& sums) {
    HostChain& chain = chains_[c];
    const std::int64_t accepted_before = chain.counts.accepted();
    double drift = 0.0;
    int measurement = 0;
    worker.walker.attach(table_of(c));
    worker.projection.set(chain.at);
    for (int done = 1; done <= plan.sweeps; ++done) {
      sweep(worker, chain, first_chain_ + static_cast<std::uint32_t>(c));
      const std::int64_t number = plan.first_sweep + done;
      if (plan.energy_interval > 0 && number % plan.energy_interval == 0)
        measure_energy(worker, chain, c, measurement++, plan.with_derivatives, sums);
      if (plan.correlation_interval > 0 && number % plan.correlation_interval == 0)
        measure_correlations(worker, chain, c, sums);
      if (done % chain.rebuild_interval != 0 && done != plan.sweeps) continue;
      const double now = worker.walker.rebuild_with_drift(chain.at);
      drift = std::max(drift, now);
      if (now > config_.drift_tolerance) chain.rebuild_interval = std::max(1, chain.rebuild_interval / 2);
    }
    sums.drift[c] = drift;
    sums.accepted[c] = chain.counts.accepted() - accepted_before;
  }

  LatticeModel model_;
  WalkConfig config_;
  std::unique_ptr<TrialState> trial_;  // where workers find it
  WalkRules rules_;
  EnergyTerms energy_;
  CorrelationTerms correlations_;
  std::uint32_t first_chain_ = 0;
  std::vector<HostChain> chains_;
  std::vector<std::unique_ptr<ChainWorker>> workers_;
  std::size_t table_size_ = 0;
  Array<double> tables_;
};

/// For electrons that can't move.
struct NoRatios {
  double settled_ratio(const Configuration&, const Move&) const { return 0.0; }
};

}  // namespace
}  // namespace sampling

int BlockPlan::measurements(int interval) const {
  if (interval <= 0) return 0;
  return static_cast<int>((first_sweep + sweeps) / interval - first_sweep / interval);
}

int displacements_of(const Cluster& cluster) {
  return cluster.is_translation_invariant() ? cluster.sites() : cluster.sites() * cluster.sites();
}

std::unique_ptr<ChainEngine> make_host_engine(const LatticeModel& model, const TrialState& trial,
                                              const WalkConfig& config, std::uint32_t first_chain,
                                              int chains) {
  auto engine = std::make_unique<sampling::HostEngine>(model, trial, config, first_chain, chains);
  engine->draw_starts();
  return engine;
}

std::unique_ptr<ChainEngine> make_host_engine(const LatticeModel& model, const TrialState& trial,
                                              const WalkConfig& config, const ChainStates& states) {
  auto engine =
      std::make_unique<sampling::HostEngine>(model, trial, config, states.first_chain, states.chains);
  engine->set_states(states);
  return engine;
}

std::int64_t host_bytes_per_chain(const LatticeModel& model, const TrialState& trial) {
  const auto table = sampling::TableWalker::table_doubles(trial) * sizeof(double);
  const auto places = 4 * static_cast<std::size_t>(model.sites()) * sizeof(int);
  return static_cast<std::int64_t>(table + places + sizeof(sampling::HostChain));
}

std::int64_t host_bytes_per_thread(const LatticeModel&, const TrialState& trial) {
  return static_cast<std::int64_t>(sampling::TableWalker::bytes(trial) + sampling::Projection::bytes(trial) +
                                   sizeof(sampling::ChainWorker));
}

double energy_of_one_configuration(const LatticeModel& model, ElectronNumbers electrons) {
  const TrialState trial{.parameters = {}, .electrons = electrons, .sites = model.sites()};
  sampling::Configuration at(model.sites(), electrons);
  std::vector<int> sites(static_cast<std::size_t>(model.sites()));
  for (int i = 0; i < model.sites(); ++i) sites[static_cast<std::size_t>(i)] = i;
  const std::span<const int> all(sites);
  at.set(all.first(static_cast<std::size_t>(electrons.up)),
         all.last(static_cast<std::size_t>(electrons.down)));
  const sampling::EnergyTerms terms(model);
  return terms.measure(at, sampling::NoRatios{}, sampling::Projection(trial)).total(terms.u());
}

}  // namespace cisolve
