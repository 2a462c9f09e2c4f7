// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>

#include "cisolve/integrals/point_group.hpp"
#include "tasks/ci/config/readers.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {
namespace {

constexpr std::string_view cas_electrons = "space.reference.electrons";
constexpr std::string_view cas_orbitals = "space.reference.orbitals";
constexpr std::string_view cas_irreps = "space.reference.irreps";
constexpr std::string_view irrep_path = "states.irrep";

/// One irrep, by its number from 1.
int irrep_number(const EntryReader& reader, std::string_view path, const std::string& text,
                 const std::optional<std::string>& point_group) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!point_group && !is_number) {
    reader.refuse(path, fmt::format("= {} is a name, but the point group is not known; give "
                                    "integrals.point_group, or a Molpro number from 1 to 8{}",
                                    in_quotes(text), path == irrep_path ? ", or \"all\"" : ""));
  }
  const PointGroup group = point_group ? PointGroup::parse(*point_group) : PointGroup();
  return reader.locating(path, [&] { return group.irrep_number(text); });
}

std::map<int, int> read_counts_by_irrep(const EntryReader& reader, const InputTable& table,
                                        const std::optional<std::string>& point_group) {
  std::map<int, int> counts;
  for (const auto& [name, count] : table.counts) {
    const int irrep = irrep_number(reader, cas_orbitals, name, point_group);
    if (!counts.emplace(irrep, static_cast<int>(count)).second) {
      reader.refuse(cas_orbitals, fmt::format("names the irrep {} twice", in_quotes(name)));
    }
  }
  return counts;
}

CasReference read_cas(const EntryReader& reader, const std::optional<std::string>& point_group) {
  const std::string fields[] = {std::string(cas_electrons), std::string(cas_orbitals)};
  constexpr std::string_view example = "reference = { electrons = 4, orbitals = 4 }";
  reader.require_all(fields, "CAS", example);
  if (!reader.has(cas_electrons)) {
    reader.refuse(cas_irreps,
                  fmt::format("alone is no CAS; \"{}\" is missing, as in {}", cas_electrons, example));
  }
  CasReference cas{.electrons = reader.integer(cas_electrons)};
  if (reader.has(cas_irreps) && reader.get<std::string>(cas_irreps) == "sector") {
    cas.irreps = CasReference::Irreps::sector;
  }
  const InputValue& orbitals = reader.value(cas_orbitals);
  if (const auto* table = std::get_if<InputTable>(&orbitals)) {
    cas.per_irrep = read_counts_by_irrep(reader, *table, point_group);
    for (const auto& [irrep, count] : cas.per_irrep) cas.num_orbitals += count;
  } else if (std::holds_alternative<std::int64_t>(orbitals)) {
    cas.num_orbitals = reader.integer(cas_orbitals);
  } else if (const auto* labels = std::get_if<std::vector<std::string>>(&orbitals)) {
    cas.labels = *labels;
    cas.num_orbitals = static_cast<int>(labels->size());
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

ListedReferences read_listed(const EntryReader& reader) {
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
                                      in_quotes(occupation)));
    }
    const int electrons = count_electrons(occupation);
    const int expected = count_electrons(occupations.front());
    if (electrons != expected) {
      reader.refuse(path,
                    fmt::format("has occupations of {} electrons ({}) and of {} ({}); all must have "
                                "the same number",
                                expected, in_quotes(occupations.front()), electrons, in_quotes(occupation)));
    }
  }
  return {occupations};
}

constexpr std::string_view reference_file = "space.reference.file";
constexpr std::string_view reference_weight = "space.reference.weight";
constexpr std::string_view reference_roots = "space.reference.roots";

FileReference read_file_reference(const EntryReader& reader) {
  for (const std::string_view path : {cas_electrons, cas_orbitals, cas_irreps}) {
    if (reader.has(path))
      reader.refuse(path, "belongs to a CAS; a reference is a CAS or comes from a file, not both");
  }
  if (!reader.has(reference_file)) {
    reader.refuse(reader.has(reference_weight) ? reference_weight : reference_roots,
                  "alone is no reference; \"space.reference.file\" is missing, as in reference = { file "
                  "= \"h2o.h5\", weight = 0.01 }");
  }
  FileReference reference{.file = needed_text(reader, reference_file)};
  if (reader.has(reference_weight)) reference.weight = reader.get<double>(reference_weight);
  if (reader.has(reference_roots)) {
    reference.roots = reader.integers(reference_roots);
    if (reference.roots.empty())
      reader.refuse(reference_roots, "is an empty list; it needs at least one root");
  }
  return reference;
}

ReferenceChoice read_reference(const EntryReader& reader, const std::optional<std::string>& point_group) {
  constexpr std::string_view path = "space.reference";
  if (reader.has(reference_file) || reader.has(reference_weight) || reader.has(reference_roots))
    return read_file_reference(reader);
  if (reader.has(cas_electrons) || reader.has(cas_orbitals) || reader.has(cas_irreps))
    return read_cas(reader, point_group);
  if (std::holds_alternative<InputTable>(reader.value(path))) {
    reader.refuse(path, "is an empty table; a CAS is { electrons = 4, orbitals = 4 }");
  }
  if (!std::holds_alternative<std::string>(reader.value(path))) return read_listed(reader);
  const std::string& word = reader.get<std::string>(path);
  if (word == "lowest") return LowestReference{};
  if (word == "first-orbitals") return FirstOrbitalsReference{};
  return AufbauReference{};
}

FrozenOrbitals read_frozen(const EntryReader& reader, std::string_view path, bool of_molecule) {
  if (std::holds_alternative<std::int64_t>(reader.value(path))) return reader.integer(path);
  if (!std::holds_alternative<std::string>(reader.value(path))) return reader.integers(path);
  if (!of_molecule) {
    reader.refuse(
        path,
        "= \"auto\" needs [molecule]: a file does not say which orbitals are cores; give a number or a list");
  }
  return NobleGasCores{};
}

/// { orbitals = [..], count = n }, or nothing.
std::optional<OccupationLimit> read_limit(const EntryReader& reader, const std::string& path) {
  const std::string fields[] = {path + ".orbitals", path + ".count"};
  const auto& [orbitals, count] = fields;
  if (!reader.has(orbitals) && !reader.has(count)) return std::nullopt;
  reader.require_all(fields, "limit", path + " = { orbitals = [1, 2, 3], count = 2 }");
  OccupationLimit limit{reader.integers(orbitals), reader.integer(count)};
  if (limit.orbitals.empty()) reader.refuse(orbitals, "is an empty list; a limit needs orbitals");
  return limit;
}

/// One irrep, by its canonical name; "all": no restriction.
std::string irrep_name(const EntryReader& reader, const std::string& text,
                       const std::optional<std::string>& point_group) {
  if (lower_case(text) == "all") return "all";
  const PointGroup group = point_group ? PointGroup::parse(*point_group) : PointGroup();
  return group.irrep_name(irrep_number(reader, irrep_path, text, point_group));
}

std::vector<std::string> read_irreps(const EntryReader& reader,
                                     const std::optional<std::string>& point_group) {
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
      reader.refuse(path, fmt::format("lists {} twice", in_quotes(name)));
    }
    irreps.push_back(std::move(name));
  }
  if (irreps.size() > 1 && std::ranges::find(irreps, "all") != irreps.end()) {
    reader.refuse(path, "lists \"all\" beside other irreps; \"all\" stands alone");
  }
  return irreps;
}

std::vector<int> read_multiplicities(const EntryReader& reader) {
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

void check_spin(const EntryReader& reader, const CiConfig& config) {
  if (!config.ms2) return;
  if (config.basis == BasisChoice::csf) {
    reader.refuse("states.ms2", "belongs to determinants; CSFs have a spin: give states.multiplicity");
  }
  const int ms2 = *config.ms2;
  for (const int multiplicity : config.multiplicities) {
    const int twice_spin = multiplicity - 1;
    if (std::abs(ms2) > twice_spin || (twice_spin - ms2) % 2 != 0) {
      const std::string possible =
          twice_spin == 0   ? "0"
          : twice_spin == 1 ? "-1 or 1"
                            : fmt::format("one of {}, {}, ..., {}", -twice_spin, 2 - twice_spin, twice_spin);
      reader.refuse("states.ms2", fmt::format("= {} is impossible for multiplicity {}; it must be {}", ms2,
                                              multiplicity, possible));
    }
  }
}

}  // namespace

void read_space(const EntryReader& reader, CiConfig& config) {
  config.basis =
      reader.get<std::string>("space.basis") == "csf" ? BasisChoice::csf : BasisChoice::determinant;
  config.reference = read_reference(reader, config.point_group);
  const InputValue& level = reader.value("space.excitation_level");
  config.excitation_level =
      std::holds_alternative<std::string>(level) ? full_excitation : reader.integer("space.excitation_level");
  config.frozen_core = read_frozen(reader, "space.frozen_core", config.molecule.has_value());
  config.frozen_virtual = read_frozen(reader, "space.frozen_virtual", config.molecule.has_value());
  config.spin_complete = reader.get<bool>("space.spin_complete");
  config.spin_complete_given = reader.is_given("space.spin_complete");
  config.max_holes = read_limit(reader, "space.max_holes");
  config.max_particles = read_limit(reader, "space.max_particles");
}

void read_states(const EntryReader& reader, CiConfig& config) {
  config.count = reader.integer("states.count");
  config.irreps = read_irreps(reader, config.point_group);
  config.multiplicities = read_multiplicities(reader);
  config.ms2 = reader.optional_integer("states.ms2");
  check_spin(reader, config);
}

}  // namespace cisolve::detail
