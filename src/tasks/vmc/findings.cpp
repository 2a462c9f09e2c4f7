// SPDX-License-Identifier: MIT
#include "tasks/vmc/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <span>

#include "cisolve/core/error.hpp"
#include "cisolve/sampling/jackknife.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"

namespace cisolve {
namespace {

/// Sums of each chain over its measurements as groups of a jackknife.
GroupSums groups_of(const std::vector<double>& sums, std::int64_t measurements, std::size_t chains) {
  GroupSums groups;
  const std::size_t width = sums.size() / chains;
  groups.components = static_cast<int>(width);
  for (std::size_t chain = 0; chain < chains; ++chain)
    groups.add(static_cast<double>(measurements), std::span(sums).subspan(chain * width, width));
  return groups;
}

std::vector<double> as_it_is(std::span<const double> means) { return {means.begin(), means.end()}; }

class Findings {
public:
  Findings(const VmcConfig& config, const VmcState& state, VmcResult& result)
      : config_(config), sums_(state.sums), state_(state), result_(result),
        chains_(static_cast<std::size_t>(config.chains)) {}

  void operator()() {
    const ChainSeries series(state_.energies);
    result_.statistics = analyse_series(series);
    const SeriesStatistics& s = result_.statistics;
    if (!std::isfinite(s.mean))
      throw InputError(
          "vmc: local energies are not finite numbers: factors of the trial state are too large, those of "
          "vmc.jastrow and vmc.spin_jastrow, say");
    result_.energy = {s.mean, s.error};
    result_.variance = {s.variance, s.variance_error};
    result_.averaged = s.averaged;
    result_.series = state_.energies.values;
    for (double& value : result_.series) value = result_.per_site(value);
    result_.equilibration_series = state_.equilibration;
    for (double& value : result_.equilibration_series) value = result_.per_site(value);
    for (const double mean : s.chain_means) result_.chain_mean.push_back(result_.per_site(mean));
    result_.chain_drift = sums_.drift;
    result_.chain_accepted = sums_.accepted;
    add_parts();
    if (sums_.correlations > 0) add_correlations();
    find_transient(series);
    warn();
  }

private:
  const Cluster& cluster() const { return config_.lattice.model.cluster; }

  Estimate part(const std::vector<double>& sums) const {
    const JackknifeResult found = jackknife(groups_of(sums, sums_.energies, chains_), as_it_is);
    return {found.values.front(), found.errors.front()};
  }

  void add_parts() {
    result_.kinetic = part(sums_.kinetic);
    result_.exchange = part(sums_.exchange);
    result_.repulsion = part(sums_.density);
    result_.double_occupancy = part(sums_.double_occupancy);
    const double u = config_.lattice.model.parameters.u;
    result_.interaction = {u * result_.double_occupancy.value, std::abs(u) * result_.double_occupancy.error};
  }

  Estimates correlation(
      const std::vector<double>& sums,
      const std::function<std::vector<double>(std::span<const double>)>& of = as_it_is) const {
    JackknifeResult found = jackknife(groups_of(sums, sums_.correlations, chains_), of);
    return {std::move(found.values), std::move(found.errors)};
  }

  /// sum_d cos(q.R_d) f(d) for each of some wave vectors.
  std::function<std::vector<double>(std::span<const double>)> transformed(
      const std::vector<std::array<double, 2>>& vectors, bool without_mean) const {
    // Once for all that a jackknife leaves out.
    std::vector<double> cosines;
    for (const auto& q : vectors) {
      for (int d = 0; d < config_.sites(); ++d) {
        const LatticeVector r = cluster().position(d);
        cosines.push_back(std::cos(std::numbers::pi * (q[0] * r.x + q[1] * r.y)));
      }
    }
    const double density = static_cast<double>(config_.electrons.total()) / config_.sites();
    const double mean = without_mean ? density * density : 0.0;
    return [cosines = std::move(cosines), mean](std::span<const double> f) {
      std::vector<double> sums(cosines.size() / f.size());
      auto cosine = cosines.begin();
      for (double& sum : sums) {
        for (const double value : f) sum += *cosine++ * (value - mean);
      }
      return sums;
    };
  }

  void add_correlations() {
    result_.s_s = correlation(sums_.s_s);
    result_.sz_sz = correlation(sums_.sz_sz);
    result_.n_n = correlation(sums_.n_n);
    if (!cluster().is_translation_invariant()) return;
    result_.spin_structure_factor = correlation(sums_.s_s, transformed(cluster().wave_vectors(), false));
    result_.charge_structure_factor = correlation(sums_.n_n, transformed(cluster().wave_vectors(), true));
    result_.momentum_distribution = correlation(sums_.hop_up, transformed(cluster().momenta(), false));
    const Estimates down = correlation(sums_.hop_down, transformed(cluster().momenta(), false));
    auto& all = result_.momentum_distribution;
    all.values.insert(all.values.end(), down.values.begin(), down.values.end());
    all.errors.insert(all.errors.end(), down.errors.begin(), down.errors.end());
  }

  /// The series from the first sweep on, as long as it would rather begin later.
  void find_transient(const ChainSeries& series) {
    std::vector<double> all;
    const std::int64_t averaged = series.averaged();
    const auto& before = state_.equilibration;
    for (std::size_t first = 0; first + static_cast<std::size_t>(averaged) <= before.size();
         first += static_cast<std::size_t>(averaged)) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < averaged; ++k) sum += before[first + static_cast<std::size_t>(k)];
      all.push_back(sum / static_cast<double>(averaged));
    }
    const std::vector<double> measured = average_over_chains(series.view());
    all.insert(all.end(), measured.begin(), measured.end());
    result_.mser_cut = mser_cut(all) * averaged * config_.measure_interval;
  }

  void warn_if(bool is_so, std::string warning) {
    if (is_so) result_.warnings.push_back(std::move(warning));
  }

  void warn() {
    const SeriesStatistics& s = result_.statistics;
    constexpr double mixed = 1.01, same = 4.0;
    warn_if(
        s.r_hat > mixed,
        fmt::format(
            "chains differ more than they should: R-hat of the energy is {:.4f}, above {}; more sweeps, or a "
            "longer vmc.equilibration, would tell why",
            s.r_hat, mixed));
    warn_if(result_.mser_cut > config_.equilibration,
            fmt::format("the energy has not settled before sweep {}, but vmc.equilibration is {}: raise it",
                        result_.mser_cut, config_.equilibration));
    warn_if(
        std::abs(s.geweke) > same,
        fmt::format(
            "the energy drifts while it is measured: its first tenth and its second half differ by {:.1f} "
            "standard errors",
            std::abs(s.geweke)));
    warn_if(
        s.errors_differ,
        fmt::format(
            "the error of the energy is {:.2g} by its autocorrelation, but {:.2g} by what chains differ: the "
            "larger is given",
            result_.per_site(s.autocorrelation_error), result_.per_site(s.between_chains_error)));
    warn_if(!s.window_found && s.variance > 0.0,
            "the run is too short for the autocorrelation time of the energy: errors are lower bounds");
    warn_of_chains();
    if (config_.target_error > 0.0 && !(result_.per_site(s.error) <= config_.target_error)) {
      result_.target_reached = false;
      warn_if(true,
              fmt::format("vmc.target_error = {:g} was not reached: after {} sweeps the error is {:.2g}",
                          config_.target_error, result_.sweeps, result_.per_site(s.error)));
    }
  }

  void warn_of_chains() {
    const auto drifted = std::ranges::count_if(
        sums_.drift, [&](double drift) { return drift > config_.walk.drift_tolerance; });
    warn_if(drifted > 0,
            fmt::format("vmc.drift_tolerance: what {} chain{} updated drifted by up to {:.1e} between "
                        "recomputations; {} recomputed more often from there on",
                        drifted, drifted == 1 ? "" : "s", std::ranges::max(sums_.drift),
                        drifted == 1 ? "it was" : "they were"));
    warn_of_stuck_chains();
    constexpr double most_rejected = 1e-6;
    const double share = static_cast<double>(result_.counts.rejected_as_non_finite) /
                         static_cast<double>(std::max<std::int64_t>(result_.steps, 1));
    warn_if(share > most_rejected,
            fmt::format("{} steps were rejected because the wavefunction's ratio was no number",
                        result_.counts.rejected_as_non_finite));
  }

  /// The first few by number: there may be thousands.
  void warn_of_stuck_chains() {
    constexpr std::size_t named = 5;
    std::vector<std::size_t> stuck;
    for (std::size_t chain = 0; chain < sums_.stuck.size(); ++chain) {
      if (sums_.stuck[chain] > 0) stuck.push_back(chain + 1);
    }
    if (stuck.empty()) return;
    const std::size_t all = stuck.size();
    stuck.resize(std::min(all, named));
    const std::int32_t most = std::ranges::max(sums_.stuck);
    warn_if(true, fmt::format("chain{} {}{} {} stuck: no move was accepted in {}{} block{} of {} sweep{}",
                              all == 1 ? "" : "s", fmt::join(stuck, ", "),
                              all > named ? fmt::format(" and {} others", all - named) : "",
                              all == 1 ? "was" : "were", all == 1 ? "" : "up to ", most, most == 1 ? "" : "s",
                              config_.walk.block, config_.walk.block == 1 ? "" : "s"));
  }

  const VmcConfig& config_;
  const Measured::Sums& sums_;
  const VmcState& state_;
  VmcResult& result_;
  std::size_t chains_;
};

}  // namespace

void add_findings(const VmcConfig& config, const VmcState& state, VmcResult& result) {
  Findings(config, state, result)();
}

void add_optimisation(const VmcConfig& config, const Reconfiguration& optimisation, VmcResult& result) {
  VmcOptimisation& found = result.optimisation;
  found = {};
  std::vector<bool> is_log;
  for (const TrialParameter parameter : config.optimise) {
    found.names.emplace_back(name_of(parameter));
    is_log.push_back(parameter == TrialParameter::log_gutzwiller);
  }
  // Of the Gutzwiller factor the logarithm is varied, and the factor shown.
  const auto shown = [&](std::size_t k, double value) { return is_log[k] ? std::exp(value) : value; };
  for (const ReconfigurationIteration& one : optimisation.history()) {
    for (std::size_t k = 0; k < one.parameters.size(); ++k)
      found.parameters.push_back(shown(k, one.parameters[k]));
    found.energy.push_back(one.estimate.energy);
    found.energy_error.push_back(one.estimate.energy_error);
    found.forces.insert(found.forces.end(), one.estimate.forces.begin(), one.estimate.forces.end());
    found.force_errors.insert(found.force_errors.end(), one.estimate.force_errors.begin(),
                              one.estimate.force_errors.end());
    const Matrix& s = one.estimate.overlap;
    for (int a = 0; a < s.rows(); ++a) {
      for (int b = 0; b < s.columns(); ++b) found.overlap.push_back(s(a, b));
    }
  }
  const OptimisedParameters last = optimisation.result();
  for (std::size_t k = 0; k < last.values.size(); ++k) {
    found.result.push_back(shown(k, last.values[k]));
    found.result_error.push_back(is_log[k] ? last.errors[k] * found.result.back() : last.errors[k]);
  }
  found.converged = optimisation.convergence().reached();
}

}  // namespace cisolve
