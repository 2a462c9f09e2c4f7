// SPDX-License-Identifier: MIT
#include "sampling_benchmark.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "core/stopwatch.hpp"
#include "inverse_walker.hpp"
#include "sampling/chain.hpp"
#include "sampling/measurements.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/sampling/engine.hpp"
#endif

namespace cisolve::bench {
namespace {

struct SampledProblem {
  LatticeModel model;
  TrialState trial;
  WalkConfig walk;
};

SampledProblem make_problem(const SamplingOptions& options, int size) {
  SampledProblem problem;
  problem.model =
      make_lattice_model(LatticeHamiltonian::t_j, Cluster::tilted(size), {.t = 1.0, .j = options.j});
  const int sites = problem.model.sites();
  const int pairs = static_cast<int>(std::lround(sites * (1.0 - options.doping) / 2.0));
  TrialParameters parameters;
  parameters.delta = options.delta;
  problem.trial = make_trial_state(problem.model, {pairs, pairs}, parameters);
  return problem;
}

/// Steps per second of several runs of one engine, and the energies of its first sweeps.
struct SamplingContender {
  std::string name;
  int threads = 0;  ///< 0: all
  std::function<std::unique_ptr<ChainEngine>()> make;
  std::vector<double> rates = {};
  std::vector<double> energies = {};  ///< [chains x sweeps] of the first block
};

constexpr int compared_sweeps = 10;

void time_engine(const SamplingOptions& options, const SampledProblem& problem,
                 SamplingContender& contender) {
  const ThreadScope threads(contender.threads > 0 ? contender.threads : omp_get_max_threads());
  const auto engine = contender.make();
  BlockSums sums;
  engine->advance_block({.sweeps = compared_sweeps, .first_sweep = 0, .energy_interval = 1}, sums);
  contender.energies = sums.energy;
  const double steps = static_cast<double>(options.sweeps) * problem.model.sites() * options.chains;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const Stopwatch stopwatch;
    for (int done = 0; done < options.sweeps; done += problem.walk.block) {
      engine->advance_block({.sweeps = std::min(problem.walk.block, options.sweeps - done),
                             .first_sweep = done,
                             .energy_interval = options.energy_interval},
                            sums);
    }
    contender.rates.push_back(steps / stopwatch.seconds());
  }
}

/// One chain by the inverse alone.
nlohmann::json time_baseline(const SamplingOptions& options, const SampledProblem& problem,
                             const std::vector<double>& energies) {
  using sampling::draw_start, sampling::step_words, sampling::take_step;
  const sampling::WalkRules rules(problem.model, problem.trial, problem.walk);
  const sampling::EnergyTerms terms(problem.model);
  InverseWalker walker(problem.trial);
  sampling::Configuration at(problem.model.sites(), problem.trial.electrons);
  StepCounts counts;
  draw_start(rules, problem.walk.seed, 0, 0, at);
  walker.rebuild(at);
  sampling::Projection projection(problem.trial);
  projection.set(at);
  std::uint64_t step = 0;
  const auto sweep = [&] {
    for (int k = 0; k < problem.model.sites(); ++k)
      take_step(rules, step_words(problem.walk.seed, 0, step++), at, walker, projection, counts);
  };
  for (int s = 0; s < compared_sweeps; ++s) {
    sweep();
    const double energy = terms.measure(at, walker, projection).total(0.0),
                 expected = energies[static_cast<std::size_t>(s)];
    constexpr double tolerance = 1e-6;
    if (!(std::abs(energy - expected) < tolerance * std::max(1.0, std::abs(expected))))
      throw Error(fmt::format("the walker of the inverse has the energy {} after sweep {}, not {}", energy,
                              s + 1, expected));
  }
  constexpr double enough = 2.0;  // seconds
  const Stopwatch stopwatch;
  std::int64_t sweeps = 0;
  double sum = 0.0;
  while (stopwatch.seconds() < enough) {
    sweep();
    ++sweeps;
    if (sweeps % options.energy_interval == 0) sum += terms.measure(at, walker, projection).total(0.0);
    if (sweeps % problem.walk.block == 0) walker.rebuild(at);
  }
  const double rate = static_cast<double>(sweeps * problem.model.sites()) / stopwatch.seconds();
  fmt::print("  {:<28}{:>12.3e} steps/s (E/N {:.4f})\n", "inverse alone, 1 thread", rate,
             sum * options.energy_interval / static_cast<double>(sweeps) / problem.model.sites());
  return {{"what", "inverse alone, 1 thread"}, {"steps_per_second", rate}};
}

/// Engines walk the same chains, but for what is decided by rounding.
void require_same_energies(const SamplingContender& one, const SamplingContender& other) {
  constexpr double tolerance = 1e-6;
  for (std::size_t k = 0; k < one.energies.size(); ++k) {
    if (std::abs(one.energies[k] - other.energies[k]) > tolerance * std::max(1.0, std::abs(one.energies[k])))
      throw Error(fmt::format("{} has the energy {} where {} has {}", other.name, other.energies[k], one.name,
                              one.energies[k]));
  }
}

std::vector<SamplingContender> contenders_for(const SamplingOptions& options, const SampledProblem& problem) {
  const auto host = [&options, &problem] {
    return make_host_engine(problem.model, problem.trial, problem.walk, 0, options.chains);
  };
  std::vector<SamplingContender> all = {
      {.name = "table, 1 thread", .threads = 1, .make = host},
      {.name = fmt::format("table, {} threads", omp_get_max_threads()), .threads = 0, .make = host}};
  if (!options.on_device) return all;
#ifdef CISOLVE_HAVE_CUDA
  using cuda::sampling::EngineKind;
  for (const auto& [name, kind] :
       {std::pair("device", EngineKind::automatic), std::pair("device, plain kernels", EngineKind::plain)}) {
    all.push_back({.name = name, .threads = 0, .make = [&options, &problem, kind = kind] {
                     return cuda::sampling::make_device_engine(problem.model, problem.trial, problem.walk, 0,
                                                               options.chains, options.gpus, {.kind = kind});
                   }});
  }
#else
  throw InputError("this build has no device 'cuda'");
#endif
  return all;
}

}  // namespace

nlohmann::json run_sampling(const SamplingOptions& options) {
  nlohmann::json report = nlohmann::json::array();
  for (const int size : options.sizes) {
    const SampledProblem problem = make_problem(options, size);
    fmt::print("L = {}: {} sites, {} chains, {} sweeps, an energy every {}\n", size, problem.model.sites(),
               options.chains, options.sweeps, options.energy_interval);
    nlohmann::json of_size = {{"L", size},
                              {"sites", problem.model.sites()},
                              {"chains", options.chains},
                              {"sweeps", options.sweeps}};
    std::vector<SamplingContender> contenders = contenders_for(options, problem);
    for (SamplingContender& contender : contenders) {
      time_engine(options, problem, contender);
      require_same_energies(contenders.front(), contender);
      std::ranges::sort(contender.rates);
      const double median = contender.rates[contender.rates.size() / 2];
      const double seconds =
          static_cast<double>(options.sweeps) * problem.model.sites() * options.chains / median;
      fmt::print("  {:<28}{:>12.3e} steps/s, from {:.3e} to {:.3e}; {:.3f} s\n", contender.name, median,
                 contender.rates.front(), contender.rates.back(), seconds);
      of_size["results"].push_back({{"what", contender.name},
                                    {"steps_per_second", median},
                                    {"least", contender.rates.front()},
                                    {"most", contender.rates.back()}});
    }
    if (options.with_baseline)
      of_size["results"].push_back(time_baseline(options, problem, contenders.front().energies));
    report.push_back(std::move(of_size));
  }
  return report;
}

}  // namespace cisolve::bench
