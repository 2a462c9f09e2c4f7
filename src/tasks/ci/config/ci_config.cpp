// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci/config/ci_config.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "tasks/ci/config/readers.hpp"
#include "tasks/input/shared_readers.hpp"
#include "tasks/lattice/read_lattice.hpp"

namespace cisolve {

namespace {

using detail::EntryMap;
using detail::EntryReader;
using detail::needed_text;

DeterminantOutput read_determinant_output(const std::string& word) {
  if (word == "list") return DeterminantOutput::list;
  return word == "blocks" ? DeterminantOutput::blocks : DeterminantOutput::automatic;
}

DensityOutput read_density_output(const std::string& word) {
  if (word == "two") return DensityOutput::two;
  return word == "one" ? DensityOutput::one : DensityOutput::none;
}

NaturalOrbitalOutput read_natural_orbitals(const InputValue& value) {
  using Of = NaturalOrbitalOutput::Of;
  if (std::holds_alternative<std::string>(value)) return {.of = Of::average};
  if (const auto* root = std::get_if<std::int64_t>(&value))
    return {.of = Of::one_root, .root = static_cast<int>(*root)};
  return {.of = std::get<bool>(value) ? Of::every_root : Of::none};
}

RowOrder read_row_order(const std::string& word) {
  if (word == "local") return RowOrder::local;
  return word == "given" ? RowOrder::given : RowOrder::automatic;
}

void read_method(const EntryReader& reader, CiConfig& config) {
  config.storage = reader.get<std::string>("hamiltonian.storage");
  const InputValue& width = reader.value("hamiltonian.ell_width");
  const auto* word = std::get_if<std::string>(&width);
  config.ell_width = word != nullptr ? 0 : reader.integer("hamiltonian.ell_width");
  config.ell_by_reference = word != nullptr && *word == "reference";
  config.row_order = read_row_order(reader.get<std::string>("hamiltonian.row_order"));
  config.threshold = reader.get<double>("hamiltonian.threshold");
  config.tolerance = reader.get<double>("solver.tolerance");
  config.max_iterations = reader.integer("solver.max_iterations");
  config.max_subspace = reader.integer("solver.max_subspace");
  if (const std::string& guess = needed_text(reader, "solver.guess"); guess != "model-space") {
    config.guess = guess;
  }
  config.follow = reader.get<bool>("solver.follow");
  // In a scan, the states of its first point can be followed.
  const bool carries = reader.has("scan.warm_start") && reader.get<bool>("scan.warm_start");
  if (config.follow && !config.guess && !carries) {
    reader.refuse("solver.follow", "= true needs the states to follow: solver.guess must name a result file");
  }
  config.device = detail::read_device(reader);
  config.gpus = detail::read_gpus(reader);
  config.threads = reader.integer("run.threads");
  config.memory = detail::read_memory(reader);
  config.output_file = needed_text(reader, "output.file");
  config.write_vectors = reader.get<bool>("output.vectors");
  config.determinants = read_determinant_output(reader.get<std::string>("output.determinants"));
  config.properties = reader.get<bool>("output.properties");
  config.density = read_density_output(reader.get<std::string>("output.density"));
  config.natural_orbitals = read_natural_orbitals(reader.value("output.natural_orbitals"));
  config.checkpoint_file = needed_text(reader, "output.checkpoint");
  config.checkpoint_interval = reader.get<double>("output.checkpoint_interval");
}

FcidumpSpins read_spins(const std::string& text) {
  if (text == "restricted") return FcidumpSpins::restricted;
  if (text == "unrestricted") return FcidumpSpins::unrestricted;
  return text == "spinors" ? FcidumpSpins::spinors : FcidumpSpins::automatic;
}

}  // namespace

namespace detail {

void read_job(const EntryMap& entries, const Input& input, CiConfig& config) {
  const EntryReader reader(entries);
  if (config.molecule) {
    config.point_group = config.molecule->frame.group.name();
  } else if (!config.lattice) {
    check_readable(reader, entries.contains("scan.files") ? "scan.files" : "integrals.file",
                   config.integrals_file, "an FCIDUMP file");
    config.electrons = reader.optional_integer("integrals.electrons");
    config.spins = read_spins(reader.get<std::string>("integrals.spins"));
    if (reader.has("integrals.overlap")) {
      config.overlap_file = reader.get<std::string>("integrals.overlap");
      check_readable(reader, "integrals.overlap", config.overlap_file,
                     "the overlap of alpha and beta orbitals");
    }
    if (reader.has("integrals.point_group")) {
      config.point_group = reader.get<std::string>("integrals.point_group");
    }
  }
  read_orbitals(entries, config);
  config.title = reader.get<std::string>("title");
  read_space(reader, config);
  read_states(reader, config);
  read_method(reader, config);
  read_also(entries, config);
  read_optimisation(entries, config);
  read_selection(entries, config);
  settle_unrestricted(entries, config);
  require_lattice_keys(entries, config);
  settle_lattice_space(config);
  check_output_files(entries, config, input.source_name);
  config.input_text = input.text;
  config.resolved_text = resolved_toml(shown_entries(entries), task_of(input));
}

}  // namespace detail

bool is_active_space(const CiConfig& config) {
  return std::holds_alternative<CasReference>(config.reference) && config.excitation_level == 0;
}

CiConfig read_ci_config(const Input& input) {
  const EntryMap entries = detail::complete_entries(input);
  if (detail::has_section(entries, "scan")) {
    throw InputError(fmt::format(
        "{}: [scan] asks for several points, but a single one can be treated here; take [scan] out",
        input.source_name));
  }
  CiConfig config;
  if (detail::has_section(entries, "molecule")) {
    config.molecule = detail::read_molecule(entries, input.source_name);
  } else if (detail::has_section(entries, "lattice")) {
    config.lattice =
        std::make_shared<const LatticeConfig>(detail::read_lattice(entries, input.source_name, true));
  } else {
    config.integrals_file = EntryReader(entries).get<std::string>("integrals.file");
  }
  detail::read_job(entries, input, config);
  return config;
}

}  // namespace cisolve
