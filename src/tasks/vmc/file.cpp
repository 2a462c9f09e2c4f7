// SPDX-License-Identifier: MIT
// What write_vmc puts where; file_reading.cpp reads it.
#include "tasks/vmc/file.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/lattice_file.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

constexpr const char* energy_unit = "hartree";  // what the file's energies are renamed from

void write_estimate(Hdf5Group& group, const char* name, const Estimate& e, const VmcResult& result,
                    const char* unit) {
  Hdf5Group one = group.create_group(name);
  const auto write = [&](const char* which, double value, const char* meaning) {
    one.write<double>(which, {&value, 1}, {1}, {unit, meaning});
  };
  const Estimate per_site = result.per_site(e);
  write("value", e.value, "of the whole cluster");
  write("error", e.error, "standard error");
  write("value_per_site", per_site.value, "over the number of sites");
  write("error_per_site", per_site.error, "standard error");
}

std::string_view status_of(const VmcResult& r) {
  if (r.is_exact) return "exact";
  if (!r.optimisation.names.empty() && !r.optimisation.converged) return "optimisation not converged";
  return r.target_reached ? "complete" : "target error not reached";
}

void write_attributes(Hdf5Group& group, const VmcResult& r) {
  group.write_attribute("wavefunction", r.wavefunction);
  group.write_attribute("pairing", r.pairing);
  group.write_attribute("delta", r.delta);
  group.write_attribute("mu", r.mu);
  group.write_attribute("t2", r.t2);
  group.write_attribute("t3", r.t3);
  group.write_attribute("gutzwiller", r.gutzwiller);
  group.write_attribute("pair_cutoff", r.pair_cutoff);
  group.write_attribute("ghosts", r.ghosts);
  group.write_attribute("seed", r.seed);
  group.write_attribute("chains", r.chains);
  group.write_attribute("sweeps", r.sweeps);
  group.write_attribute("equilibration", r.equilibration);
  group.write_attribute("measure_interval", r.measure_interval);
  group.write_attribute("correlation_interval", r.correlation_interval);
  group.write_attribute("steps", r.steps);
  group.write_attribute("exact", r.is_exact);
  group.write_attribute("status", status_of(r));
  group.write_attribute("hops_proposed", r.counts.hops_proposed);
  group.write_attribute("accepted_hops", r.counts.hops_accepted);
  group.write_attribute("exchanges_proposed", r.counts.exchanges_proposed);
  group.write_attribute("accepted_exchanges", r.counts.exchanges_accepted);
  group.write_attribute("null_steps", r.counts.null);
  group.write_attribute("rejected_as_non_finite", r.counts.rejected_as_non_finite);
  group.write_attribute("recomputations", r.counts.recomputations);
  group.write_attribute("device", r.device);
  group.write_attribute("unit", r.lattice.unit);
  group.write_attribute("energy", r.energy.value);
  group.write_attribute("energy_error", r.energy.error);
  group.write_attribute("energy_per_site", r.per_site(r.energy.value));
  group.write_attribute("energy_per_site_error", r.per_site(r.energy.error));
}

void write_jastrow(Hdf5Group& group, const VmcResult& r) {
  if (r.shell_distances.empty()) return;
  const auto write = [&](const char* name, const std::vector<double>& values, const char* meaning) {
    group.write<double>(name, values, {values.size()}, {"1", meaning});
  };
  write("jastrow", r.jastrow, "v of (n_i - 1)(n_j - 1) by shells of pairs of sites");
  write("spin_jastrow", r.spin_jastrow, "u of Sz_i Sz_j by shells of pairs of sites");
  write("shell_distances", r.shell_distances, "of the shells: spacings of the lattice, on a graph bonds");
}

void write_statistics(Hdf5Group& group, const VmcResult& r) {
  const SeriesStatistics& s = r.statistics;
  group.write_attribute("variance", r.variance.value);
  group.write_attribute("variance_error", r.variance.error);
  group.write_attribute("autocorrelation_error", r.per_site(s.autocorrelation_error));
  group.write_attribute("between_chains_error", r.per_site(s.between_chains_error));
  const double sweeps = r.measure_interval;
  group.write_attribute("tau", s.tau * sweeps);
  group.write_attribute("tau_error", s.tau_error * sweeps);
  group.write_attribute("window_found", s.window_found);
  group.write_attribute("r_hat", s.r_hat);
  group.write_attribute("geweke", s.geweke);
  group.write_attribute("effective_samples", s.effective_samples);
  group.write_attribute("mser_cut", r.mser_cut);
  double drift = 0.0;
  for (const double one : r.chain_drift) drift = std::max(drift, one);
  group.write_attribute("drift", drift);
  const auto chains = static_cast<std::uint64_t>(r.chains);
  Hdf5Dataset<double> series = group.create_dataset<double>(
      "series", {chains, r.series.size() / chains},
      {energy_unit, "energy per site of each measurement, or the mean of `averaged` measurements"});
  series.write_attribute("averaged", r.averaged);
  series.write(r.series, {0, 0}, series.shape());
  group.write<double>("equilibration_series", r.equilibration_series, {r.equilibration_series.size()},
                      {energy_unit, "energy per site before the first measurement, mean of all chains"});
  std::vector<double> binning;
  for (const BinningRow& row : s.binning)
    binning.insert(binning.end(),
                   {static_cast<double>(row.size), r.per_site(row.error), static_cast<double>(row.bins)});
  group.write<double>("binning", binning, {s.binning.size(), 3},
                      {.description = "measurements in a bin, error of the energy per site, bins"});
  Hdf5Group of_chains = group.create_group("chains");
  of_chains.write<double>("mean", r.chain_mean, {chains}, {energy_unit, "energy per site"});
  of_chains.write<std::int64_t>("accepted", r.chain_accepted, {chains},
                                {.description = "moves while measuring"});
  of_chains.write<double>("drift", r.chain_drift, {chains}, {"1", "largest of the run"});
}

void write_estimates(Hdf5Group& group, const char* name, const Estimates& e, const Hdf5Shape& shape,
                     const char* unit, const char* description) {
  if (e.values.empty()) return;
  Hdf5Group one = group.create_group(name);
  one.write<double>("value", e.values, shape, {unit, description});
  one.write<double>("error", e.errors, shape, {unit, "standard error"});
}

void write_correlations(Hdf5Group& parent, const VmcResult& r) {
  if (r.s_s.values.empty()) return;
  Hdf5Group group = parent.create_group("correlations");
  const auto sites = static_cast<std::uint64_t>(r.lattice.n_sites);
  const bool is_by_displacement = r.s_s.values.size() == sites;
  const Hdf5Shape pairs = is_by_displacement ? Hdf5Shape{sites} : Hdf5Shape{sites, sites};
  write_estimates(group, "s_s", r.s_s, pairs, "hbar^2", "<S_i.S_j>, by displacement where there are momenta");
  write_estimates(group, "sz_sz", r.sz_sz, pairs, "hbar^2", "<Sz_i Sz_j>");
  write_estimates(group, "n_n", r.n_n, pairs, "1", "<n_i n_j>");
  write_estimates(group, "spin_structure_factor", r.spin_structure_factor, {sites}, "hbar^2",
                  "S(q) of lattice/wave_vectors");
  write_estimates(group, "charge_structure_factor", r.charge_structure_factor, {sites}, "1",
                  "N(q) of lattice/wave_vectors");
  write_estimates(group, "momentum_distribution", r.momentum_distribution, {2, sites}, "1",
                  "n(k) of lattice/momenta, of up and of down electrons");
}

void write_optimisation_of(Hdf5Group& parent, const VmcResult& r) {
  const VmcOptimisation& o = r.optimisation;
  if (o.names.empty()) return;
  Hdf5Group group = parent.create_group("optimisation");
  const std::uint64_t n = o.iterations(), p = o.names.size();
  group.write_attribute("converged", o.converged);
  group.write_strings("names", o.names, {p}, {.description = "parameters that were optimised"});
  group.write<double>("parameters", o.parameters, {n, p}, {"1", "of the state of each iteration"});
  group.write<double>("energy", o.energy, {n}, {energy_unit, "of the whole cluster"});
  group.write<double>("energy_error", o.energy_error, {n}, {energy_unit, "standard error"});
  group.write<double>("forces", o.forces, {n, p},
                      {energy_unit, "<O E> - <O><E>, half the gradient; of ln g for g"});
  group.write<double>("force_errors", o.force_errors, {n, p}, {energy_unit, "standard errors"});
  group.write<double>("overlap", o.overlap, {n, p, p}, {"1", "<O O> - <O><O>"});
  group.write<double>("result", o.result, {p}, {"1", "mean of the last iterations"});
  group.write<double>("result_error", o.result_error, {p}, {"1", "how far it may be off"});
}

const char* pairing_name(Pairing pairing) {
  if (pairing == Pairing::s) return "s";
  return pairing == Pairing::d ? "d" : "extended-s";
}

}  // namespace

void describe_setting(const VmcConfig& config, VmcResult& result) {
  result.lattice = describe_lattice(config.lattice, config.electrons.up - config.electrons.down, {});
  result.seed = config.walk.seed;
  result.chains = config.chains;
  result.measure_interval = config.measure_interval;
  result.correlation_interval = config.correlation_interval;
  result.equilibration = config.equilibration;
  describe_state(make_trial_state(config.lattice.model, config.electrons, config.trial, config.optimise),
                 result);
}

void describe_state(const TrialState& state, VmcResult& result) {
  const TrialParameters& p = state.parameters;
  result.wavefunction = state.is_sea() ? "fermi-sea" : "bcs";
  result.pairing = state.is_sea() ? "" : pairing_name(p.pairing);
  result.delta = p.delta, result.mu = p.mu, result.t2 = p.t2, result.t3 = p.t3;
  result.gutzwiller = p.gutzwiller;
  result.jastrow = p.jastrow;
  result.spin_jastrow = p.spin_jastrow;
  result.shell_distances = state.jastrow.shells.distances;
  result.shell_distances.resize(std::max(p.jastrow.size(), p.spin_jastrow.size()));
  result.pair_cutoff = p.pair_cutoff.value_or(0.0);
  result.ghosts = state.num_ghosts();
  result.singular.clear();
  for (const SingularMomentum& momentum : state.singular) result.singular.push_back(momentum.k);
}

void write_vmc(const std::filesystem::path& file, const VmcResult& result, const VmcState* state) {
  constexpr std::uint64_t of_groups = 512 * 1024;
  const std::uint64_t bytes = of_groups + result.input_text.size() + result.resolved_text.size() +
                              8 * (result.series.size() + 12 * result.s_s.values.size()) +
                              (state != nullptr ? bytes_of(*state) : 0);
  AtomicFile atomic(file, bytes);
  Hdf5File hdf5 = Hdf5File::create(atomic.temporary(), file);
  hdf5.rename_unit(energy_unit, result.lattice.unit);
  Hdf5Group root = hdf5.root();
  write_stamp(root, {result_format, result_format_version, result.version, result.created});
  root.write_attribute("title", result.title);
  Hdf5Group input = root.create_group("input");
  input.write_string("text", result.input_text, {.description = "the input as given (TOML)"});
  input.write_string("resolved", result.resolved_text,
                     {.description = "the input with every default filled in (TOML)"});
  root.write_strings("warnings", result.warnings, {result.warnings.size()},
                     {.description = "what the report warned of"});
  write_lattice(root, result.lattice);
  Hdf5Group group = root.create_group("vmc");
  write_attributes(group, result);
  std::vector<double> singular;
  for (const auto& k : result.singular) singular.insert(singular.end(), k.begin(), k.end());
  group.write<double>("singular_momenta", singular, {result.singular.size(), 2},
                      {"pi", "momenta whose pairs are there for certain"});
  write_jastrow(group, result);
  write_estimate(group, "energy", result.energy, result, energy_unit);
  write_estimate(group, "kinetic", result.kinetic, result, energy_unit);
  write_estimate(group, "exchange", result.exchange, result, energy_unit);
  write_estimate(group, "interaction", result.interaction, result, energy_unit);
  write_estimate(group, "repulsion", result.repulsion, result, energy_unit);
  write_estimate(group, "double_occupancy", result.double_occupancy, result, "1");
  write_optimisation_of(group, result);
  if (!result.is_exact) {
    write_statistics(group, result);
    write_correlations(group, result);
  }
  if (state != nullptr) write_state(group, *state);
  Hdf5Group timing = root.create_group("timing");
  timing.write_attribute("unit", "second");
  timing.write_attribute("start", result.start_seconds);
  timing.write_attribute("optimisation", result.optimisation_seconds);
  timing.write_attribute("sampling", result.sampling_seconds);
  timing.write_attribute("total", result.total_seconds);
  timing.write_attribute("steps_per_second", result.steps_per_second);
  hdf5.close();
  atomic.sync();
  atomic.commit();
}

}  // namespace cisolve
