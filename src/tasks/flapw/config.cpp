// SPDX-License-Identifier: MIT
// [flapw] and what an input with it must have.
#include <algorithm>

#include "tasks/flapw/readers.hpp"
#include "tasks/input/shared_readers.hpp"

namespace cisolve {

using detail::EntryMap;
using detail::EntryReader;

namespace {

bool has_part(const Input& input, std::string_view section) {
  return input.sections.contains(section) || detail::has_section(input.entries, section);
}

/// Where a section is given: "al.inp:3", or by which option.
std::string place_of(const Input& input, std::string_view section) {
  if (const auto header = input.sections.find(section); header != input.sections.end())
    return fmt::format("{}:{}", input.source_name, header->second);
  const auto key = input.entries.lower_bound(std::string(section) + ".");
  return key == input.entries.end() ? input.source_name : key->second.where;
}

/// Refuses a section without one of the keys that it needs.
void require_keys(const Input& input, std::string_view section) {
  for (const InputKey& key : input_keys()) {
    if (key.section() != section || !key.required || key.is_in_list() || input.entries.contains(key.path))
      continue;
    throw InputError(fmt::format("{}: [{}] has no {}, which must be {}", place_of(input, section), section,
                                 key.name(), allowed_values(key)));
  }
}

/// All entries with their defaults, also those that depend on others; paths become relative to the working directory.
EntryMap all_entries(const Input& input) {
  EntryMap entries = detail::with_defaults(input);
  const auto set_default = [&](const std::string& path, InputValue value) {
    entries.try_emplace(path, InputEntry{std::move(value), input.source_name, true});
  };
  set_default("output.file", std::filesystem::path(input.source_name).stem().string() + ".h5");
  if (entries.contains("k_points.path.points")) set_default("k_points.path.segments", std::int64_t{20});
  if (const auto atoms = entries.find("synthetic.atoms"); atoms != entries.end())
    set_default("synthetic.types", atoms->second.value);
  if (const auto file = entries.find("flapw.file"); file != entries.end())
    file->second.value =
        detail::from_input_file(input.source_name, detail::needed_text(EntryReader(entries), "flapw.file"));
  return entries;
}

FlapwConfig::Algorithm read_algorithm(const std::string& word) {
  using Algorithm = FlapwConfig::Algorithm;
  if (word == "hsdla") return Algorithm::hsdla;
  if (word == "merged") return Algorithm::merged;
  return word == "split" ? Algorithm::split : Algorithm::automatic;
}

FlapwConfig::Solver read_solver(const std::string& word) {
  if (word == "direct") return FlapwConfig::Solver::direct;
  return word == "davidson" ? FlapwConfig::Solver::davidson : FlapwConfig::Solver::automatic;
}

void read_method(const EntryReader& reader, FlapwConfig& config) {
  const auto is = [&](std::string_view path, std::string_view word) {
    return reader.get<std::string>(path) == word;
  };
  constexpr std::string_view roots = "flapw.roots", threshold = "flapw.overlap_threshold";
  if (!std::holds_alternative<std::string>(reader.value(roots))) config.roots = reader.integer(roots);
  config.interstitial = reader.get<bool>("flapw.interstitial");
  config.algorithm = read_algorithm(reader.get<std::string>("flapw.algorithm"));
  config.stored = is("flapw.coefficients", "stored");
  config.solver = read_solver(reader.get<std::string>("flapw.solver"));
  config.tolerance = reader.get<double>("flapw.tolerance");
  config.max_iterations = reader.integer("flapw.max_iterations");
  config.overlap_threshold = reader.get<double>(threshold);
  if (config.overlap_threshold >= 1.0)
    reader.refuse(threshold, "is 1, which drops everything; less is expected");
  if (is("flapw.arithmetic", "3m")) config.arithmetic = FlapwConfig::Arithmetic::three_multiplications;
  if (is("flapw.radial", "scalar-relativistic")) config.radial = lapw::RadialEquation::scalar_relativistic;
  config.check = reader.integer("flapw.check");
  config.repeat = reader.integer("flapw.repeat");
}

void read_synthetic(const EntryReader& reader, FlapwConfig& config) {
  SyntheticCrystal synthetic;
  synthetic.atoms = reader.get<std::int64_t>("synthetic.atoms");
  synthetic.waves = reader.get<std::int64_t>("synthetic.waves");
  synthetic.lmax = reader.integer("synthetic.lmax");
  synthetic.types = reader.integer("synthetic.types");
  if (synthetic.types > synthetic.atoms)
    reader.refuse("synthetic.types",
                  fmt::format("is {}, more than synthetic.atoms = {}", synthetic.types, synthetic.atoms));
  synthetic.hpd_share = reader.get<double>("synthetic.hpd_share");
  synthetic.seed = static_cast<std::uint64_t>(reader.get<std::int64_t>("synthetic.seed"));
  synthetic.k_max = reader.get<double>("synthetic.k_max");
  config.synthetic = synthetic;
}

void read_machine(const EntryReader& reader, FlapwConfig& config) {
  config.device = detail::read_device(reader);
  config.gpus = detail::read_gpus(reader);
  config.threads = reader.integer("run.threads");
  config.memory = detail::read_memory(reader);
}

void read_output(const EntryReader& reader, const Input& input, FlapwConfig& config) {
  constexpr std::string_view file = "output.file";
  config.output_file = detail::needed_text(reader, file);
  std::vector<detail::SourceFile> sources = {{input.source_name, "the input file"}};
  if (!config.file.empty()) sources.push_back({config.file, "flapw.file"});
  detail::check_output(reader, file, config.output_file, sources);
  config.write_matrices = reader.get<bool>("output.matrices");
  config.write_vectors = reader.get<bool>("output.vectors");
}

}  // namespace

void require_flapw_sections(const Input& input) {
  std::vector<std::string> sources;
  if (input.entries.contains("flapw.file")) sources.emplace_back("flapw.file");
  for (const std::string_view section : {"crystal", "synthetic"}) {
    if (has_part(input, section)) sources.push_back(fmt::format("[{}]", section));
  }
  if (sources.empty())
    throw InputError(
        fmt::format("{}: [flapw] has nothing to work on; it needs flapw.file, [crystal] or [synthetic]",
                    place_of(input, "flapw")));
  if (sources.size() > 1)
    throw InputError(
        fmt::format("{}: {} and {} are given; exactly one of flapw.file, [crystal] and [synthetic] is "
                    "allowed",
                    place_of(input, "flapw"), sources[0], sources[1]));
  for (const std::string_view section : {"potential", "k_points"}) {
    if (has_part(input, section) && !has_part(input, "crystal"))
      throw InputError(fmt::format("{}: [{}] is for [crystal], but {} is given; take it out",
                                   place_of(input, section), section, sources[0]));
  }
  for (const std::string_view section : {"crystal", "synthetic"}) {
    if (has_part(input, section)) require_keys(input, section);
  }
}

FlapwConfig read_flapw_config(const Input& input) {
  const EntryMap entries = all_entries(input);
  const EntryReader reader(entries);
  FlapwConfig config;
  config.title = reader.get<std::string>("title");
  read_method(reader, config);
  read_machine(reader, config);
  if (reader.has("flapw.file")) {
    config.file = reader.get<std::string>("flapw.file");
    detail::check_readable(reader, "flapw.file", config.file, "an HDF5 file of format cisolve-flapw");
  } else if (reader.has("synthetic.atoms")) {
    read_synthetic(reader, config);
  } else {
    detail::read_crystal(reader, config);
    detail::read_k_points(reader, place_of(input, "crystal"), config);
  }
  read_output(reader, input, config);
  config.input_text = input.text;
  config.resolved_text = detail::resolved_toml(entries, task_of(input));
  return config;
}

}  // namespace cisolve
