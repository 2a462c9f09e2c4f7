// SPDX-License-Identifier: MIT
#include "tasks/ci_config_molecule.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/data_folder.hpp"

namespace cisolve::detail {
namespace {

constexpr double least_distance = 0.1;  // bohr; no two nuclei of a molecule are nearer

/// The keys of [molecule], by their names.
class MoleculeReader {
public:
  MoleculeReader(const EntryMap& entries, const std::string& source_name)
      : entries_(entries), source_name_(source_name) {}

  bool has(std::string_view name) const { return entry(name) != nullptr; }
  template <class T>
  const T& get(std::string_view name) const {
    return std::get<T>(entry(name)->value);
  }
  int integer(std::string_view name) const { return static_cast<int>(get<std::int64_t>(name)); }
  std::optional<std::vector<int>> integers(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    std::vector<int> converted;
    for (const std::int64_t number : get<std::vector<std::int64_t>>(name))
      converted.push_back(static_cast<int>(number));
    return converted;
  }

  /// "h2o.inp:4: molecule.geometry", to begin a message.
  std::string where(std::string_view name) const {
    const InputEntry* found = entry(name);
    return fmt::format("{}: molecule.{}", found != nullptr ? found->where : source_name_, name);
  }

  Geometry geometry() const;
  BasisSet basis_set() const;
  void settle_electrons(MoleculeConfig& config) const;

private:
  const InputEntry* entry(std::string_view name) const {
    const auto found = entries_.find(fmt::format("molecule.{}", name));
    return found == entries_.end() ? nullptr : &found->second;
  }

  const EntryMap& entries_;
  const std::string& source_name_;
};

Geometry MoleculeReader::geometry() const {
  if (has("geometry") == has("geometry_file")) {
    throw InputError(fmt::format("{}: [molecule] has {} of geometry and geometry_file; it needs one",
                                 source_name_, has("geometry") ? "both" : "neither"));
  }
  const LengthUnit unit = get<std::string>("unit") == "bohr" ? LengthUnit::bohr : LengthUnit::angstrom;
  const std::string_view key = has("geometry") ? "geometry" : "geometry_file";
  Geometry geometry;
  if (key == "geometry") {
    geometry = parse_geometry(get<std::string>(key), unit, where(key));
  } else {
    try {
      geometry = read_xyz(get<std::string>(key), unit);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", where(key), error.what()));
    }
  }
  check_distances(geometry, least_distance, where(key));
  return geometry;
}

BasisSet MoleculeReader::basis_set() const {
  if (!has("basis")) {
    throw InputError(
        fmt::format("{}: [molecule] has no basis; it needs one such as basis = \"6-31g(d)\"", source_name_));
  }
  try {
    return read_basis_set(get<std::string>("basis"), basis_set_folder());
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", where("basis"), error.what()));
  }
}

void MoleculeReader::settle_electrons(MoleculeConfig& config) const {
  config.charge = integer("charge");
  config.num_electrons = total_charge(config.frame.geometry) - config.charge;
  if (config.num_electrons < 1) {
    throw InputError(fmt::format(
        "{}: charge {} leaves {} electrons of a molecule with nuclear charge {}; one at least is "
        "needed",
        where("charge"), config.charge, config.num_electrons, total_charge(config.frame.geometry)));
  }
  const bool odd = config.num_electrons % 2 != 0;
  config.multiplicity = has("multiplicity") ? integer("multiplicity") : odd ? 2 : 1;
  if ((config.multiplicity % 2 == 0) != odd || config.multiplicity > config.num_electrons + 1) {
    throw InputError(fmt::format("{}: {} electrons cannot have multiplicity {}; it must be {} and at most {}",
                                 where("multiplicity"), config.num_electrons, config.multiplicity,
                                 odd ? "even" : "odd", config.num_electrons + 1));
  }
  config.doubly_occupied = integers("doubly_occupied");
  config.singly_occupied = integers("singly_occupied");
  if (config.singly_occupied && !config.doubly_occupied) {
    throw InputError(fmt::format("{}: doubly_occupied is missing; an occupation is given in full",
                                 where("singly_occupied")));
  }
}

}  // namespace

MoleculeConfig read_molecule(const EntryMap& entries, const std::string& source_name) {
  const MoleculeReader reader(entries, source_name);
  MoleculeConfig config;
  const Geometry geometry = reader.geometry();
  config.frame = find_symmetry(geometry, reader.get<std::string>("symmetry"), {}, reader.where("symmetry"));
  const BasisSet set = reader.basis_set();
  config.basis_name = set.name;
  config.functions = set.functions.value_or(FunctionType::spherical);
  if (const std::string& word = reader.get<std::string>("functions"); word != "auto") {
    config.functions = word == "cartesian" ? FunctionType::cartesian : FunctionType::spherical;
  }
  config.basis = make_basis(config.frame.geometry, set, config.functions, reader.where("basis"));
  reader.settle_electrons(config);
  config.scf_tolerance = reader.get<double>("scf_tolerance");
  config.scf_max_iterations = reader.integer("scf_max_iterations");
  config.level_shift = reader.get<double>("level_shift");
  config.stability = reader.get<bool>("stability");
  return config;
}

std::vector<std::filesystem::path> molecule_files(const EntryMap& entries) {
  std::vector<std::filesystem::path> files;
  for (const char* key : {"molecule.geometry_file", "molecule.basis"}) {
    if (const auto found = entries.find(key); found != entries.end())
      files.emplace_back(std::get<std::string>(found->second.value));
  }
  return files;
}

}  // namespace cisolve::detail
