// SPDX-License-Identifier: MIT
#include "tasks/ci/config/molecule.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/run/data_folder.hpp"

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
  MoleculeConfig read(SymmetryFrame frame, const BasisSet& set) const;

private:
  void settle_electrons(MoleculeConfig& config) const;
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
  const LengthUnit unit = length_unit(entries_);
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

MoleculeConfig MoleculeReader::read(SymmetryFrame frame, const BasisSet& set) const {
  MoleculeConfig config;
  config.frame = std::move(frame);
  config.basis_name = set.name;
  config.functions = set.functions.value_or(FunctionType::spherical);
  if (const std::string& word = get<std::string>("functions"); word != "auto") {
    config.functions = word == "cartesian" ? FunctionType::cartesian : FunctionType::spherical;
  }
  config.basis = make_basis(config.frame.geometry, set, config.functions, where("basis"));
  settle_electrons(config);
  config.scf_tolerance = get<double>("scf_tolerance");
  config.scf_max_iterations = integer("scf_max_iterations");
  config.level_shift = get<double>("level_shift");
  config.stability = get<bool>("stability");
  return config;
}

}  // namespace

MoleculeConfig read_molecule(const EntryMap& entries, const std::string& source_name) {
  const MoleculeReader reader(entries, source_name);
  const Geometry geometry = reader.geometry();
  SymmetryFrame frame =
      find_symmetry(geometry, reader.get<std::string>("symmetry"), {}, reader.where("symmetry"));
  return reader.read(std::move(frame), reader.basis_set());
}

Geometry read_geometry(const EntryMap& entries, const std::string& source_name) {
  return MoleculeReader(entries, source_name).geometry();
}

LengthUnit length_unit(const EntryMap& entries) {
  const auto found = entries.find("molecule.unit");
  return std::get<std::string>(found->second.value) == "bohr" ? LengthUnit::bohr : LengthUnit::angstrom;
}

std::vector<MoleculeConfig> read_molecules(const EntryMap& entries, const std::string& source_name,
                                           std::span<const Geometry> geometries,
                                           std::span<const std::string> names) {
  const MoleculeReader reader(entries, source_name);
  std::vector<std::string> where;
  for (std::size_t k = 0; k < geometries.size(); ++k) {
    check_distances(geometries[k], least_distance, names[k]);
    where.push_back(fmt::format("{}, {}", reader.where("symmetry"), names[k]));
  }
  auto frames = find_common_symmetry(geometries, reader.get<std::string>("symmetry"), {}, where);
  const BasisSet set = reader.basis_set();
  std::vector<MoleculeConfig> molecules;
  for (SymmetryFrame& frame : frames) molecules.push_back(reader.read(std::move(frame), set));
  return molecules;
}

}  // namespace cisolve::detail
