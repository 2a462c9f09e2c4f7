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

/// Text of a key that must not be empty, such as a path.
const std::string& needed_text(const Reader& reader, std::string_view path) {
  const std::string& text = reader.get<std::string>(path);
  if (text.empty()) reader.refuse(path, "is empty; a path is expected");
  return text;
}

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

constexpr std::string_view reference_file = "space.reference.file";
constexpr std::string_view reference_weight = "space.reference.weight";

FileReference read_file_reference(const Reader& reader) {
  for (const std::string_view path : {cas_electrons, cas_orbitals}) {
    if (reader.has(path))
      reader.refuse(path, "belongs to a CAS; a reference is a CAS or comes from a file, not both");
  }
  if (!reader.has(reference_file)) {
    reader.refuse(reference_weight,
                  "alone is no reference; \"space.reference.file\" is missing, as in reference = { file "
                  "= \"h2o.h5\", weight = 0.01 }");
  }
  FileReference reference{.file = needed_text(reader, reference_file)};
  if (reader.has(reference_weight)) reference.weight = reader.get<double>(reference_weight);
  return reference;
}

ReferenceChoice read_reference(const Reader& reader) {
  constexpr std::string_view path = "space.reference";
  if (reader.has(reference_file) || reader.has(reference_weight)) return read_file_reference(reader);
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

/// One irrep, by its canonical name; "all": no restriction.
std::string irrep_name(const Reader& reader, const std::string& text,
                       const std::optional<std::string>& point_group) {
  constexpr std::string_view path = "states.irrep";
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

std::vector<std::string> read_irreps(const Reader& reader, const std::optional<std::string>& point_group) {
  constexpr std::string_view path = "states.irrep";
  if (!reader.has(path)) return {};
  std::vector<std::string> texts;
  const InputValue& value = reader.value(path);
  if (const auto* number = std::get_if<std::int64_t>(&value)) texts = {fmt::format("{}", *number)};
  if (const auto* text = std::get_if<std::string>(&value)) texts = {*text};
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) texts = *list;
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t number : *numbers) texts.push_back(fmt::format("{}", number));
  }
  if (texts.empty()) reader.refuse(path, "is an empty list; it needs at least one irrep");
  std::vector<std::string> irreps;
  for (const std::string& text : texts) {
    std::string name = irrep_name(reader, text, point_group);
    if (std::ranges::find(irreps, name) != irreps.end()) {
      reader.refuse(path, fmt::format("lists {} twice", detail::in_quotes(name)));
    }
    irreps.push_back(std::move(name));
  }
  if (irreps.size() > 1 && std::ranges::find(irreps, "all") != irreps.end()) {
    reader.refuse(path, "lists \"all\" beside other irreps; \"all\" stands alone");
  }
  return irreps;
}

std::vector<int> read_multiplicities(const Reader& reader) {
  constexpr std::string_view path = "states.multiplicity";
  if (!reader.has(path)) return {};
  if (std::holds_alternative<std::int64_t>(reader.value(path))) return {reader.integer(path)};
  std::vector<int> multiplicities = reader.integers(path);
  if (multiplicities.empty()) reader.refuse(path, "is an empty list; it needs at least one multiplicity");
  for (const int multiplicity : multiplicities) {
    if ((multiplicity - multiplicities.front()) % 2 != 0) {
      reader.refuse(
          path, fmt::format("lists {} and {}; one number of electrons has odd multiplicities or even ones",
                            multiplicities.front(), multiplicity));
    }
  }
  return multiplicities;
}

void check_spin(const Reader& reader, const CiConfig& config) {
  if (!config.ms2) return;
  if (config.basis == BasisChoice::csf) {
    reader.refuse("states.ms2", "belongs to determinants; CSFs have a spin: give states.multiplicity");
  }
  const int ms2 = *config.ms2;
  for (const int multiplicity : config.multiplicities) {
    const int twice_spin = multiplicity - 1;
    if (std::abs(ms2) > twice_spin || (twice_spin - ms2) % 2 != 0) {
      const std::string possible = twice_spin == 0   ? "0"
                                   : twice_spin == 1 ? "-1 or 1"
                                                     : fmt::format("one of {}, {}, ..., {}", -twice_spin,
                                                                   2 - twice_spin, twice_spin);
      reader.refuse("states.ms2", fmt::format("= {} is impossible for multiplicity {}; it must be {}", ms2,
                                              multiplicity, possible));
    }
  }
}

/// { orbitals = [..], count = n }, or nothing.
std::optional<OccupationLimit> read_limit(const Reader& reader, const std::string& path) {
  const std::string orbitals = path + ".orbitals", count = path + ".count";
  if (!reader.has(orbitals) && !reader.has(count)) return std::nullopt;
  for (const auto& [present, absent] : {std::pair(orbitals, count), {count, orbitals}}) {
    if (!reader.has(absent)) {
      reader.refuse(present,
                    fmt::format("alone is no limit; \"{}\" is missing, as in {} = {{ orbitals = [1, 2, 3], "
                                "count = 2 }}",
                                absent, path));
    }
  }
  OccupationLimit limit{reader.integers(orbitals), reader.integer(count)};
  if (limit.orbitals.empty()) reader.refuse(orbitals, "is an empty list; a limit needs orbitals");
  return limit;
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
  config.basis =
      reader.get<std::string>("space.basis") == "csf" ? BasisChoice::csf : BasisChoice::determinant;
  config.reference = read_reference(reader);
  const InputValue& level = reader.value("space.excitation_level");
  config.excitation_level =
      std::holds_alternative<std::string>(level) ? full_excitation : reader.integer("space.excitation_level");
  config.frozen_core = read_frozen(reader, "space.frozen_core");
  config.frozen_virtual = read_frozen(reader, "space.frozen_virtual");
  config.spin_complete = reader.get<bool>("space.spin_complete");
  config.max_holes = read_limit(reader, "space.max_holes");
  config.max_particles = read_limit(reader, "space.max_particles");
  config.count = reader.integer("states.count");
  config.irreps = read_irreps(reader, config.point_group);
  config.multiplicities = read_multiplicities(reader);
  config.ms2 = reader.optional_integer("states.ms2");
  check_spin(reader, config);
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

void read_method(const Reader& reader, CiConfig& config) {
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
