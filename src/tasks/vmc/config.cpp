// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"
#include "tasks/input/entry_reader.hpp"
#include "tasks/input/shared_readers.hpp"
#include "tasks/input/text.hpp"
#include "tasks/lattice/read_lattice.hpp"
#include "tasks/vmc/read_trial.hpp"

namespace cisolve {
namespace {

using detail::EntryMap;
using detail::EntryReader;

EntryMap completed(const Input& input) {
  EntryMap entries = detail::with_defaults(input);
  if (const auto bonds = entries.find("lattice.bonds_file"); bonds != entries.end()) {
    bonds->second.value = detail::from_input_file(
        input.source_name, detail::needed_text(EntryReader(entries), "lattice.bonds_file"));
  }
  const std::string stem = std::filesystem::path(input.source_name).stem().string();
  entries.try_emplace("output.file", InputEntry{stem + ".h5", input.source_name});
  entries.try_emplace("output.checkpoint", InputEntry{stem + ".chk.h5", input.source_name});
  return entries;
}

/// Electrons of each spin; of bcs as many up as down ones.
ElectronNumbers read_electrons(const EntryReader& reader, const VmcConfig& config) {
  const int electrons = config.lattice.electrons, sites = config.sites();
  const bool is_bcs = config.trial.wavefunction == Wavefunction::bcs;
  const bool is_odd = electrons % 2 != 0;
  const std::string_view counted = reader.has("lattice.electrons") ? "lattice.electrons" : "lattice.doping";
  if (is_bcs && is_odd) {
    std::vector<int> even;
    if (electrons > 1) even.push_back(electrons - 1);
    if (electrons < (config.lattice.model.is_t_j() ? sites : 2 * sites)) even.push_back(electrons + 1);
    reader.refuse(counted,
                  fmt::format("gives {} electron{}, but bcs needs as many up as down electrons: take {}, or "
                              "vmc.wavefunction = \"fermi-sea\"",
                              electrons, electrons == 1 ? "" : "s", fmt::join(even, " or ")));
  }
  const int ms2 = reader.optional_integer("states.ms2").value_or(is_odd ? 1 : 0);
  if (is_bcs && ms2 != 0) {
    reader.refuse("states.ms2",
                  fmt::format("= {} does not go with bcs, which needs as many up as down electrons; take "
                              "it out, or vmc.wavefunction = \"fermi-sea\"",
                              ms2));
  }
  const int most = std::min(electrons, config.lattice.model.is_t_j() ? electrons : 2 * sites - electrons);
  if ((ms2 % 2 != 0) != is_odd || std::abs(ms2) > most) {
    reader.refuse("states.ms2",
                  fmt::format("= {} is impossible for {} electrons on {} sites; it must be {}, and "
                              "from {} to {}",
                              ms2, electrons, sites, is_odd ? "odd" : "even", -most, most));
  }
  return {(electrons + ms2) / 2, (electrons - ms2) / 2};
}

void read_walk(const EntryReader& reader, VmcConfig& config) {
  config.chains = reader.integer("vmc.chains");
  config.sweeps = reader.get<std::int64_t>("vmc.sweeps");
  config.target_error = reader.get<double>("vmc.target_error");
  config.equilibration = reader.get<std::int64_t>("vmc.equilibration");
  config.measure_interval = reader.integer("vmc.measure_interval");
  config.correlation_interval = reader.integer("vmc.correlation_interval");
  if (config.measure_interval > config.sweeps)
    reader.refuse("vmc.measure_interval",
                  fmt::format("= {} is more than vmc.sweeps = {}: nothing would be measured",
                              config.measure_interval, config.sweeps));
  WalkConfig& walk = config.walk;
  walk.seed = static_cast<std::uint64_t>(reader.get<std::int64_t>("vmc.seed"));
  walk.neighbour_fraction = reader.get<double>("vmc.neighbour_fraction");
  walk.exchange_fraction = reader.get<double>("vmc.exchange_fraction");
  if (config.lattice.model.is_t_j() && reader.is_given("vmc.exchange_fraction"))
    reader.refuse("vmc.exchange_fraction", "belongs to the Hubbard model; in t-J the target decides");
  walk.block = reader.integer("vmc.block");
  walk.drift_tolerance = reader.get<double>("vmc.drift_tolerance");
  walk.start_attempts = reader.integer("vmc.start_attempts");
}

/// Pairs of charges are bound or parted at energies of several U, which a step has to resolve.
double usual_step(const VmcConfig& config) {
  const LatticeModel& model = config.lattice.model;
  const double usual = ReconfigurationConfig{}.step;
  if (model.is_t_j() || std::ranges::none_of(config.optimise, &TrialParameter::is_of_jastrow)) return usual;
  double hopping = 0.0;
  for (const LatticeBond& bond : model.bonds) hopping = std::max(hopping, std::abs(bond.t));
  return std::min(usual, 1.0 / (2.0 * std::abs(model.parameters.u) + 4.0 * hopping));
}

void read_optimisation_section(const EntryReader& reader, const VmcConfig& vmc, OptimisationConfig& config) {
  config.step.step =
      reader.has("optimisation.step") ? reader.get<double>("optimisation.step") : usual_step(vmc);
  if (!reader.has("optimisation.iterations")) return;  // the section is not given: its defaults are the same
  config.iterations = reader.integer("optimisation.iterations");
  config.sweeps = reader.integer("optimisation.sweeps");
  config.step.shift = reader.get<double>("optimisation.shift");
  config.step.trust = reader.get<double>("optimisation.trust");
  config.step.max_change = reader.get<double>("optimisation.max_change");
  config.convergence.window = reader.integer("optimisation.window");
  config.convergence.tolerance = reader.get<double>("optimisation.tolerance");
}

void read_run(const EntryReader& reader, const Input& input, VmcConfig& config) {
  config.device = detail::read_device(reader);
  config.gpus = detail::read_gpus(reader);
  config.threads = reader.integer("run.threads");
  config.memory = detail::read_memory(reader);
  config.output_file = detail::needed_text(reader, "output.file");
  config.checkpoint_file = detail::needed_text(reader, "output.checkpoint");
  config.checkpoint_interval = reader.get<double>("output.checkpoint_interval");
  std::vector<detail::SourceFile> sources = {{input.source_name, "the input file"}};
  if (reader.has("lattice.bonds_file"))
    sources.push_back({reader.get<std::string>("lattice.bonds_file"), "lattice.bonds_file"});
  detail::check_output(reader, "output.file", config.output_file, sources);
  detail::check_output(reader, "output.checkpoint", config.checkpoint_file, sources);
  if (detail::is_same_file(config.output_file, config.checkpoint_file))
    reader.refuse("output.checkpoint", "is the same file as output.file; give another name");
}

/// The key that a trial state which cannot be depends on most.
std::string_view key_of_state(const EntryReader& reader, const VmcConfig& config) {
  const LatticeModel& model = config.lattice.model;
  if (model.is_complex()) return "lattice.boundary";
  if (config.trial.wavefunction == Wavefunction::fermi_sea) return "vmc.wavefunction";
  if (model.cluster.is_graph()) return "lattice.kind";
  if (model.cluster.has_open_boundary()) return "lattice.boundary";
  return reader.has("vmc.mu") ? "vmc.mu" : "vmc.wavefunction";
}

/// Refuses a trial state that cannot be.
void require_state(const EntryReader& reader, const VmcConfig& config) {
  const auto& trial = config.trial;
  reader.locating(key_of_state(reader, config), [&] {
    static_cast<void>(make_trial_state(config.lattice.model, config.electrons, trial, config.optimise));
  });
}

/// Without the defaults of keys that this state or model does not have, and which are refused where they are given; with that
/// which depends on the model.
EntryMap shown_entries(EntryMap entries, const VmcConfig& config) {
  if (config.lattice.model.is_t_j()) entries.erase("vmc.exchange_fraction");
  if (config.trial.wavefunction == Wavefunction::fermi_sea) entries.erase("vmc.pair_cutoff");
  if (!config.optimise.empty())
    entries.try_emplace("optimisation.step", InputEntry{config.optimisation.step.step, "by default"});
  return entries;
}

}  // namespace

VmcConfig read_vmc_config(const Input& input) {
  const EntryMap entries = completed(input);
  const EntryReader reader(entries);
  VmcConfig config;
  config.title = reader.get<std::string>("title");
  config.lattice = detail::read_lattice(entries, input.source_name, false);
  config.trial = read_trial(reader, config.lattice.model);
  config.electrons = read_electrons(reader, config);
  config.optimise = read_optimise(reader, config);
  read_walk(reader, config);
  read_optimisation_section(reader, config, config.optimisation);
  read_run(reader, input, config);
  require_state(reader, config);
  config.warnings = config.lattice.warnings;
  constexpr double most_cutoff = 1e4;
  if (config.trial.pair_cutoff && *config.trial.pair_cutoff > most_cutoff) {
    config.warnings.push_back(
        fmt::format("vmc.pair_cutoff = {:g} is so large that digits are lost; \"exact\" is the limit itself",
                    *config.trial.pair_cutoff));
  }
  config.input_text = input.text;
  config.resolved_text = detail::resolved_toml(shown_entries(entries, config), task_of(input));
  return config;
}

}  // namespace cisolve
