// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/tasks/input.hpp"
#include "tasks/ci_config_molecule.hpp"
#include "tasks/ci_config_values.hpp"
#include "tasks/input_text.hpp"

namespace cisolve {

namespace {

using detail::EntryMap;

/// Entries whose kinds have been checked against the table, so that the get of a variant fits.
class Reader {
public:
  explicit Reader(const EntryMap& entries) : entries_(entries) {}

  bool has(std::string_view path) const { return entries_.contains(path); }
  const InputValue& value(std::string_view path) const { return entries_.find(path)->second.value; }
  const std::string& where(std::string_view path) const { return entries_.find(path)->second.where; }

  template <class T>
  const T& get(std::string_view path) const {
    return std::get<T>(value(path));
  }
  int integer(std::string_view path) const { return static_cast<int>(get<std::int64_t>(path)); }
  std::optional<int> optional_integer(std::string_view path) const {
    return has(path) ? std::optional(integer(path)) : std::nullopt;
  }
  std::vector<int> integers(std::string_view path) const {
    const auto& numbers = get<std::vector<std::int64_t>>(path);
    std::vector<int> converted;
    for (const std::int64_t number : numbers) converted.push_back(static_cast<int>(number));
    return converted;
  }

  [[noreturn]] void refuse(std::string_view path, std::string_view what) const {
    throw InputError(fmt::format("{}: {} {}", where(path), path, what));
  }

private:
  const EntryMap& entries_;
};

constexpr std::string_view cas_electrons = "space.reference.electrons";
constexpr std::string_view cas_orbitals = "space.reference.orbitals";

CasReference read_cas(const Reader& reader) {
  for (const auto& [present, absent] :
       {std::pair(cas_electrons, cas_orbitals), {cas_orbitals, cas_electrons}}) {
    if (!reader.has(absent)) {
      reader.refuse(present, fmt::format("alone is no CAS; \"{}\" is missing, as in reference = {{ electrons "
                                         "= 4, orbitals = 4 }}",
                                         absent));
    }
  }
  CasReference cas{.electrons = reader.integer(cas_electrons), .num_orbitals = 0, .orbitals = {}};
  if (std::holds_alternative<std::int64_t>(reader.value(cas_orbitals))) {
    cas.num_orbitals = reader.integer(cas_orbitals);
  } else {
    cas.orbitals = reader.integers(cas_orbitals);
    cas.num_orbitals = static_cast<int>(cas.orbitals.size());
  }
  if (cas.num_orbitals == 0) reader.refuse(cas_orbitals, "is an empty list; a CAS needs orbitals");
  if (cas.electrons > 2LL * cas.num_orbitals) {
    reader.refuse(cas_electrons, fmt::format("= {} is impossible: {} orbitals hold at most {} electrons",
                                             cas.electrons, cas.num_orbitals, 2LL * cas.num_orbitals));
  }
  return cas;
}

int count_electrons(const std::string& occupation) {
  int electrons = 0;
  for (const char c : occupation) electrons += c == '2' ? 2 : c == '0' ? 0 : 1;
  return electrons;
}

ListedReferences read_listed(const Reader& reader) {
  constexpr std::string_view path = "space.reference";
  if (!std::holds_alternative<std::vector<std::string>>(reader.value(path))) {
    reader.refuse(path, "is an empty list; it needs at least one occupation such as \"2220\"");
  }
  const auto& occupations = reader.get<std::vector<std::string>>(path);
  for (const std::string& occupation : occupations) {
    const auto bad = occupation.find_first_not_of("20ud1");
    if (bad != std::string::npos || occupation.empty()) {
      reader.refuse(path, fmt::format("has the occupation {}; an occupation consists of 2, 0, u, d and 1, "
                                      "such as \"22ud\"",
                                      detail::in_quotes(occupation)));
    }
    const int electrons = count_electrons(occupation);
    const int expected = count_electrons(occupations.front());
    if (electrons != expected) {
      reader.refuse(path, fmt::format("has occupations of {} electrons ({}) and of {} ({}); all must have "
                                      "the same number",
                                      expected, detail::in_quotes(occupations.front()), electrons,
                                      detail::in_quotes(occupation)));
    }
  }
  return {occupations};
}

ReferenceChoice read_reference(const Reader& reader) {
  constexpr std::string_view path = "space.reference";
  if (reader.has(cas_electrons) || reader.has(cas_orbitals)) return read_cas(reader);
  if (std::holds_alternative<InputTable>(reader.value(path))) {
    reader.refuse(path, "is an empty table; a CAS is { electrons = 4, orbitals = 4 }");
  }
  if (!std::holds_alternative<std::string>(reader.value(path))) return read_listed(reader);
  if (reader.get<std::string>(path) == "lowest") return LowestReference{};
  return AufbauReference{};
}

FrozenOrbitals read_frozen(const Reader& reader, std::string_view path) {
  if (std::holds_alternative<std::int64_t>(reader.value(path))) return reader.integer(path);
  if (!std::holds_alternative<std::string>(reader.value(path))) return reader.integers(path);
  if (reader.has("integrals.file")) {
    reader.refuse(
        path,
        "= \"auto\" needs [molecule]: a file does not say which orbitals are cores; give a number or a list");
  }
  return NobleGasCores{};
}

std::optional<std::string> read_irrep(const Reader& reader, const std::optional<std::string>& point_group) {
  constexpr std::string_view path = "states.irrep";
  if (!reader.has(path)) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&reader.value(path));
  const std::string text = number != nullptr ? fmt::format("{}", *number) : reader.get<std::string>(path);
  if (lower_case(text) == "all") return "all";
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!point_group && !is_number) {
    reader.refuse(path, fmt::format("= {} is a name, but the point group is not known; give "
                                    "integrals.point_group, or a Molpro number from 1 to 8, or \"all\"",
                                    detail::in_quotes(text)));
  }
  const PointGroup group = point_group ? PointGroup::parse(*point_group) : PointGroup();
  try {
    return group.irrep_name(group.irrep_number(text));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", reader.where(path), path, error.what()));
  }
}

void check_spin(const Reader& reader, const CiConfig& config) {
  if (!config.multiplicity || !config.ms2) return;
  const int twice_spin = *config.multiplicity - 1;
  const int ms2 = *config.ms2;
  if (std::abs(ms2) > twice_spin || (twice_spin - ms2) % 2 != 0) {
    reader.refuse("states.ms2",
                  fmt::format("= {} is impossible for multiplicity {}; it must be one of {}, "
                              "{}, ..., {}",
                              ms2, *config.multiplicity, -twice_spin, 2 - twice_spin, twice_spin));
  }
}

/// Text of a key that must not be empty, such as a path.
const std::string& needed_text(const Reader& reader, std::string_view path) {
  const std::string& text = reader.get<std::string>(path);
  if (text.empty()) reader.refuse(path, "is empty; a path is expected");
  return text;
}

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
    const std::string& given = needed_text(Reader(entries), path);
    const bool is_name = std::string_view(path) == "molecule.basis" && given.find('/') == std::string::npos &&
                         !given.ends_with(".gbs");
    if (!is_name) entries[path].value = (source.parent_path() / given).lexically_normal().string();
  }
  const std::string stem = source.stem().string();
  entries.try_emplace("output.file", InputEntry{stem + ".h5", input.source_name});
  entries.try_emplace("output.checkpoint", InputEntry{stem + ".chk.h5", input.source_name});
  return entries;
}

void check_integrals_file(const Reader& reader, const CiConfig& config) {
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
void check_files(const Reader& reader, const EntryMap& entries, const CiConfig& config,
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

void read_integrals(const Reader& reader, CiConfig& config) {
  config.integrals_file = reader.get<std::string>("integrals.file");
  check_integrals_file(reader, config);
  config.electrons = reader.optional_integer("integrals.electrons");
  if (reader.has("integrals.point_group")) {
    config.point_group = reader.get<std::string>("integrals.point_group");
  }
}

void read_calculation(const Reader& reader, CiConfig& config) {
  config.title = reader.get<std::string>("title");
  config.reference = read_reference(reader);
  const InputValue& level = reader.value("space.excitation_level");
  config.excitation_level =
      std::holds_alternative<std::string>(level) ? full_excitation : reader.integer("space.excitation_level");
  config.frozen_core = read_frozen(reader, "space.frozen_core");
  config.frozen_virtual = read_frozen(reader, "space.frozen_virtual");
  config.count = reader.integer("states.count");
  config.irrep = read_irrep(reader, config.point_group);
  config.multiplicity = reader.optional_integer("states.multiplicity");
  config.ms2 = reader.optional_integer("states.ms2");
  check_spin(reader, config);
}

DeviceChoice read_device(const std::string& word) {
  if (word == "cpu") return DeviceChoice::cpu;
  return word == "cuda" ? DeviceChoice::cuda : DeviceChoice::automatic;
}

void read_method(const Reader& reader, CiConfig& config) {
  config.storage = reader.get<std::string>("hamiltonian.storage");
  const InputValue& width = reader.value("hamiltonian.ell_width");
  config.ell_width = std::holds_alternative<std::string>(width) ? 0 : reader.integer("hamiltonian.ell_width");
  config.threshold = reader.get<double>("hamiltonian.threshold");
  config.tolerance = reader.get<double>("solver.tolerance");
  config.max_iterations = reader.integer("solver.max_iterations");
  config.max_subspace = reader.integer("solver.max_subspace");
  if (const std::string& guess = needed_text(reader, "solver.guess"); guess != "model-space") {
    config.guess = guess;
  }
  config.device = read_device(reader.get<std::string>("run.device"));
  config.threads = reader.integer("run.threads");
  config.memory = detail::parse_memory(reader.get<std::string>("run.memory"), reader.where("run.memory"));
  config.output_file = needed_text(reader, "output.file");
  config.write_vectors = reader.get<bool>("output.vectors");
  config.properties = reader.get<bool>("output.properties");
  config.checkpoint_file = needed_text(reader, "output.checkpoint");
  config.checkpoint_interval = reader.get<double>("output.checkpoint_interval");
}

}  // namespace

CiConfig read_ci_config(const Input& input) {
  const EntryMap entries = complete_entries(input);
  const Reader reader(entries);
  CiConfig config;
  if (reader.has("integrals.file")) {
    read_integrals(reader, config);
  } else {
    config.molecule = detail::read_molecule(entries, input.source_name);
    config.point_group = config.molecule->frame.group.name();
  }
  read_calculation(reader, config);
  read_method(reader, config);
  check_files(reader, entries, config, input.source_name);
  config.input_text = input.text;
  config.resolved_text = detail::resolved_toml(entries);
  return config;
}

}  // namespace cisolve
