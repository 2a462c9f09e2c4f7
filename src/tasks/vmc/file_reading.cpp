// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/files/lattice_file.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

Estimate read_estimate(const Hdf5Group& group, const char* name) {
  const Hdf5Group one = group.open_group(name);
  return {one.read<double>("value", {1}).front(), one.read<double>("error", {1}).front()};
}

void read_attributes(const Hdf5Group& group, VmcResult& r) {
  r.wavefunction = group.read_attribute<std::string>("wavefunction");
  r.pairing = group.read_attribute<std::string>("pairing");
  r.delta = group.read_attribute<double>("delta");
  r.mu = group.read_attribute<double>("mu");
  r.t2 = group.read_attribute<double>("t2");
  r.t3 = group.read_attribute<double>("t3");
  r.gutzwiller = group.read_attribute<double>("gutzwiller");
  r.pair_cutoff = group.read_attribute<double>("pair_cutoff");
  r.ghosts = group.read_attribute<int>("ghosts");
  r.seed = group.read_attribute<std::uint64_t>("seed");
  r.chains = group.read_attribute<int>("chains");
  r.sweeps = group.read_attribute<std::int64_t>("sweeps");
  r.equilibration = group.read_attribute<std::int64_t>("equilibration");
  r.measure_interval = group.read_attribute<int>("measure_interval");
  r.correlation_interval = group.read_attribute<int>("correlation_interval");
  r.steps = group.read_attribute<std::int64_t>("steps");
  r.is_exact = group.read_attribute<bool>("exact");
  r.target_reached = group.read_attribute<std::string>("status") != "target error not reached";
  r.counts.hops_proposed = group.read_attribute<std::int64_t>("hops_proposed");
  r.counts.hops_accepted = group.read_attribute<std::int64_t>("accepted_hops");
  r.counts.exchanges_proposed = group.read_attribute<std::int64_t>("exchanges_proposed");
  r.counts.exchanges_accepted = group.read_attribute<std::int64_t>("accepted_exchanges");
  r.counts.null = group.read_attribute<std::int64_t>("null_steps");
  r.counts.rejected_as_non_finite = group.read_attribute<std::int64_t>("rejected_as_non_finite");
  r.counts.recomputations = group.read_attribute<std::int64_t>("recomputations");
  r.device = group.read_attribute<std::string>("device");
}

void read_statistics(const Hdf5Group& group, VmcResult& r) {
  SeriesStatistics& s = r.statistics;
  const double sites = r.lattice.n_sites, interval = r.measure_interval;
  r.variance = {group.read_attribute<double>("variance"), group.read_attribute<double>("variance_error")};
  s.mean = r.energy.value;
  s.error = r.energy.error;
  s.variance = r.variance.value;
  s.variance_error = r.variance.error;
  s.autocorrelation_error = group.read_attribute<double>("autocorrelation_error") * sites;
  s.between_chains_error = group.read_attribute<double>("between_chains_error") * sites;
  s.tau = group.read_attribute<double>("tau") / interval;
  s.tau_error = group.read_attribute<double>("tau_error") / interval;
  s.window_found = group.read_attribute<bool>("window_found");
  s.r_hat = group.read_attribute<double>("r_hat");
  s.geweke = group.read_attribute<double>("geweke");
  s.effective_samples = group.read_attribute<double>("effective_samples");
  r.mser_cut = group.read_attribute<std::int64_t>("mser_cut");
  const Hdf5Dataset<double> series = group.open_dataset<double>("series");
  r.averaged = s.averaged = series.read_attribute<std::int64_t>("averaged");
  const auto chains = static_cast<std::uint64_t>(r.chains);
  if (series.shape().size() != 2 || series.shape()[0] != chains || r.averaged < 1)
    throw InputError("dataset '" + series.name() + "' is damaged: it does not have a row per chain");
  s.chains = r.chains;
  s.measurements = static_cast<std::int64_t>(series.shape()[1]) * r.averaged;
  r.series = group.read<double>("series").values;
  r.equilibration_series = group.read<double>("equilibration_series").values;
  const auto binning = group.read<double>("binning");
  for (std::size_t k = 0; k + 3 <= binning.values.size(); k += 3) {
    s.binning.push_back({static_cast<std::int64_t>(binning.values[k]), binning.values[k + 1] * sites,
                         static_cast<std::int64_t>(binning.values[k + 2])});
  }
  const Hdf5Group of_chains = group.open_group("chains");
  r.chain_mean = of_chains.read<double>("mean", {chains});
  for (const double mean : r.chain_mean) s.chain_means.push_back(mean * sites);
  r.chain_accepted = of_chains.read<std::int64_t>("accepted", {chains});
  r.chain_drift = of_chains.read<double>("drift", {chains});
}

void read_correlations(const Hdf5Group& parent, VmcResult& r) {
  if (!parent.contains("correlations")) return;
  const Hdf5Group group = parent.open_group("correlations");
  const auto read = [&](const char* name, Estimates& to) {
    if (!group.contains(name)) return;
    const Hdf5Group one = group.open_group(name);
    auto values = one.read<double>("value");
    to.errors = one.read<double>("error", values.shape);
    to.values = std::move(values.values);
  };
  read("s_s", r.s_s);
  read("sz_sz", r.sz_sz);
  read("n_n", r.n_n);
  read("spin_structure_factor", r.spin_structure_factor);
  read("charge_structure_factor", r.charge_structure_factor);
  read("momentum_distribution", r.momentum_distribution);
  const auto sites = static_cast<std::size_t>(r.lattice.n_sites);
  if (r.s_s.values.size() != sites && r.s_s.values.size() != sites * sites)
    throw InputError("group '" + group.name() + "' is damaged: its correlations are not those of the sites");
}

void read_optimisation_of(const Hdf5Group& parent, VmcResult& r) {
  if (!parent.contains("optimisation")) return;
  const Hdf5Group group = parent.open_group("optimisation");
  VmcOptimisation& o = r.optimisation;
  o.names = group.read_strings("names").values;
  o.converged = group.read_attribute<bool>("converged");
  o.energy = group.read<double>("energy").values;
  const std::uint64_t n = o.energy.size(), p = o.names.size();
  o.energy_error = group.read<double>("energy_error", {n});
  o.parameters = group.read<double>("parameters", {n, p});
  o.forces = group.read<double>("forces", {n, p});
  o.force_errors = group.read<double>("force_errors", {n, p});
  o.overlap = group.read<double>("overlap", {n, p, p});
  o.result = group.read<double>("result", {p});
  o.result_error = group.read<double>("result_error", {p});
}

}  // namespace

bool holds_vmc(const std::filesystem::path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  return hdf5.root().contains("vmc") && format_of(file) == result_format;
}

VmcResult read_vmc(const std::filesystem::path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group root = hdf5.root();
  FileStamp stamp = read_stamp(root, {result_format, result_format_version, {}, {}}, file);
  if (!root.contains("vmc"))
    throw InputError("'" + file.string() + "' is not the result of variational Monte Carlo");
  VmcResult r;
  r.version = std::move(stamp.program_version);
  r.created = std::move(stamp.created);
  r.title = root.read_attribute<std::string>("title");
  const Hdf5Group input = root.open_group("input");
  r.input_text = input.read_string("text");
  r.resolved_text = input.read_string("resolved");
  r.warnings = root.read_strings("warnings").values;
  r.lattice = read_lattice_description(root, file);
  const Hdf5Group group = root.open_group("vmc");
  read_attributes(group, r);
  if (r.chains < 1) throw InputError("'" + file.string() + "' is damaged: it has no chains");
  const auto singular = group.read<double>("singular_momenta");
  for (std::size_t k = 0; k + 2 <= singular.values.size(); k += 2)
    r.singular.push_back({singular.values[k], singular.values[k + 1]});
  if (group.contains("shell_distances")) {
    r.jastrow = group.read<double>("jastrow").values;
    r.spin_jastrow = group.read<double>("spin_jastrow").values;
    r.shell_distances =
        group.read<double>("shell_distances", {std::max(r.jastrow.size(), r.spin_jastrow.size())});
  }
  r.energy = read_estimate(group, "energy");
  r.kinetic = read_estimate(group, "kinetic");
  r.exchange = read_estimate(group, "exchange");
  r.interaction = read_estimate(group, "interaction");
  r.repulsion = read_estimate(group, "repulsion");
  r.double_occupancy = read_estimate(group, "double_occupancy");
  read_optimisation_of(group, r);
  if (!r.is_exact) {
    read_statistics(group, r);
    read_correlations(group, r);
  }
  const Hdf5Group timing = root.open_group("timing");
  r.start_seconds = timing.read_attribute<double>("start");
  r.optimisation_seconds = timing.read_attribute<double>("optimisation");
  r.sampling_seconds = timing.read_attribute<double>("sampling");
  r.total_seconds = timing.read_attribute<double>("total");
  r.steps_per_second = timing.read_attribute<double>("steps_per_second");
  return r;
}

}  // namespace cisolve
