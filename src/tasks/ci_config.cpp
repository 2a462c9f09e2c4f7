// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci_config.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input.hpp"
#include "tasks/ci_config_molecule.hpp"
#include "tasks/ci_config_space.hpp"
#include "tasks/ci_config_values.hpp"
#include "tasks/entry_reader.hpp"
#include "tasks/input_text.hpp"

namespace cisolve {

namespace {

using detail::EntryMap;
using detail::EntryReader;
using detail::needed_text;

/// Fills in the defaults that depend on the name of the input file.
EntryMap complete_entries(const Input& input) {
  EntryMap entries = detail::with_defaults(input);
  const std::filesystem::path source(input.source_name);
  if (detail::unused_source(entries) == "molecule" && !entries.contains("integrals.file")) {
    throw InputError(
        fmt::format("{}: [integrals] has no file; it needs file = \"...\", the path of an "
                    "FCIDUMP file",
                    input.source_name));
  }
  for (const char* path : {"integrals.file", "molecule.geometry_file", "molecule.basis"}) {
    if (!entries.contains(path)) continue;
    const std::string& given = needed_text(EntryReader(entries), path);
    const bool is_name = std::string_view(path) == "molecule.basis" && given.find('/') == std::string::npos &&
                         !given.ends_with(".gbs");
    if (!is_name) entries[path].value = (source.parent_path() / given).lexically_normal().string();
  }
  const std::string stem = source.stem().string();
  entries.try_emplace("output.file", InputEntry{stem + ".h5", input.source_name});
  entries.try_emplace("output.checkpoint", InputEntry{stem + ".chk.h5", input.source_name});
  return entries;
}

void check_integrals_file(const EntryReader& reader, const CiConfig& config) {
  std::error_code error;
  const auto status = std::filesystem::status(config.integrals_file, error);
  if (!std::filesystem::exists(status)) {
    reader.refuse("integrals.file", fmt::format("names a file that does not exist: {}",
                                                detail::one_line(config.integrals_file.string())));
  }
  if (std::filesystem::is_directory(status)) {
    reader.refuse("integrals.file", fmt::format("names a folder; an FCIDUMP file is expected: {}",
                                                detail::one_line(config.integrals_file.string())));
  }
}

/// Results must not replace what they were made from, nor each other.
void check_files(const EntryReader& reader, const EntryMap& entries, const CiConfig& config,
                 const std::string& source_name) {
  const auto same = [&](const std::filesystem::path& a, const std::filesystem::path& b) {
    const auto full = [](const std::filesystem::path& path) {
      return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
    };
    return full(a) == full(b);
  };
  for (const auto& [path, file] : {std::pair(std::string_view("output.file"), config.output_file),
                                   {"output.checkpoint", config.checkpoint_file}}) {
    if (same(file, source_name)) reader.refuse(path, "would overwrite the input file; give another name");
    if (!config.integrals_file.empty() && same(file, config.integrals_file)) {
      reader.refuse(path, "would overwrite the integrals file; give another name");
    }
    for (const auto& read : detail::molecule_files(entries)) {
      if (same(file, read))
        reader.refuse(path, fmt::format("would overwrite {}; give another name", read.string()));
    }
  }
  if (same(config.output_file, config.checkpoint_file)) {
    reader.refuse("output.checkpoint", "is the same file as output.file; give another name");
  }
}

void read_integrals(const EntryReader& reader, CiConfig& config) {
  config.integrals_file = reader.get<std::string>("integrals.file");
  check_integrals_file(reader, config);
  config.electrons = reader.optional_integer("integrals.electrons");
  if (reader.has("integrals.point_group")) {
    config.point_group = reader.get<std::string>("integrals.point_group");
  }
}

DeviceChoice read_device(const std::string& word) {
  if (word == "cpu") return DeviceChoice::cpu;
  return word == "cuda" ? DeviceChoice::cuda : DeviceChoice::automatic;
}

DeterminantOutput read_determinant_output(const std::string& word) {
  if (word == "list") return DeterminantOutput::list;
  return word == "blocks" ? DeterminantOutput::blocks : DeterminantOutput::automatic;
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
  if (config.follow && !config.guess) {
    reader.refuse("solver.follow", "= true needs the states to follow: solver.guess must name a result file");
  }
  config.device = read_device(reader.get<std::string>("run.device"));
  config.threads = reader.integer("run.threads");
  config.memory = detail::parse_memory(reader.get<std::string>("run.memory"), reader.where("run.memory"));
  config.output_file = needed_text(reader, "output.file");
  config.write_vectors = reader.get<bool>("output.vectors");
  config.determinants = read_determinant_output(reader.get<std::string>("output.determinants"));
  config.properties = reader.get<bool>("output.properties");
  config.checkpoint_file = needed_text(reader, "output.checkpoint");
  config.checkpoint_interval = reader.get<double>("output.checkpoint_interval");
}

}  // namespace

CiConfig read_ci_config(const Input& input) {
  const EntryMap entries = complete_entries(input);
  const EntryReader reader(entries);
  CiConfig config;
  if (reader.has("integrals.file")) {
    read_integrals(reader, config);
  } else {
    config.molecule = detail::read_molecule(entries, input.source_name);
    config.point_group = config.molecule->frame.group.name();
  }
  config.title = reader.get<std::string>("title");
  detail::read_space(reader, config);
  detail::read_states(reader, config);
  read_method(reader, config);
  check_files(reader, entries, config, input.source_name);
  config.input_text = input.text;
  config.resolved_text = detail::resolved_toml(entries);
  return config;
}

}  // namespace cisolve
