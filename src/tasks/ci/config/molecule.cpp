// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "cisolve/core/error.hpp"
#include "cisolve/core/units.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "cisolve/molecule/geometry_limits.hpp"
#include "tasks/ci/config/molecular_sets.hpp"
#include "tasks/ci/config/readers.hpp"

namespace cisolve::detail {
namespace {

std::vector<PointCharge> read_charges(const EntryReader& reader) {
  constexpr std::string_view file = "molecule.charges_file", list = "molecule.charges";
  if (reader.has(file)) {
    if (reader.has(list)) reader.refuse(file, "contradicts molecule.charges; leave one of them out");
    return reader.locating(
        file, [&] { return read_point_charges(reader.get<std::string>(file), length_unit(reader)); });
  }
  std::vector<PointCharge> charges;
  if (!reader.has(list)) return charges;
  const double factor = bohr_in(length_unit(reader));
  for (const std::vector<double>& row : reader.get<std::vector<std::vector<double>>>(list)) {
    if (row.size() != 4)
      reader.refuse(list,
                    fmt::format("has {} numbers in point charge {}; x, y, z and the charge are expected",
                                row.size(), charges.size() + 1));
    charges.push_back({row[3], {row[0] * factor, row[1] * factor, row[2] * factor}});
  }
  return charges;
}

Surroundings read_surroundings(const EntryReader& reader) {
  constexpr std::string_view field = "molecule.field";
  Surroundings around{read_charges(reader)};
  if (!reader.has(field)) return around;
  const auto& components = reader.get<std::vector<double>>(field);
  if (components.size() != around.field.size())
    reader.refuse(field,
                  fmt::format("has {} numbers; three are expected, along x, y and z", components.size()));
  std::ranges::copy(components, around.field.begin());
  return around;
}

/// A geometry with what is around it.
Geometry surrounded(Geometry geometry, const Surroundings& around, const std::string& where) {
  geometry.surroundings = around;
  check_point_charges(geometry, LeastDistances{}.nuclei, GeometryLimits{}.most_coordinate, where);
  return geometry;
}

/// The key that point charges come from, for messages.
std::string charges_key(const EntryReader& reader) {
  for (const char* key : {"molecule.charges", "molecule.charges_file"})
    if (reader.has(key)) return reader.begin(key);
  return {};
}

void settle_electrons(const EntryReader& reader, MoleculeConfig& config) {
  constexpr std::string_view multiplicity = "molecule.multiplicity";
  const int nuclei = total_charge(config.frame.geometry);
  config.charge = reader.integer("molecule.charge");
  config.num_electrons = nuclei - config.charge;
  if (config.num_electrons < 1) {
    throw InputError(fmt::format(
        "{}: charge {} leaves {} electrons of a molecule with nuclear charge {}; one at least is needed",
        reader.begin("molecule.charge"), config.charge, config.num_electrons, nuclei));
  }
  const bool odd = config.num_electrons % 2 != 0;
  config.multiplicity = reader.optional_integer(multiplicity).value_or(odd ? 2 : 1);
  if ((config.multiplicity % 2 == 0) != odd || config.multiplicity > config.num_electrons + 1) {
    throw InputError(fmt::format("{}: {} electrons cannot have multiplicity {}; it must be {} and at most {}",
                                 reader.begin(multiplicity), config.num_electrons, config.multiplicity,
                                 odd ? "even" : "odd", config.num_electrons + 1));
  }
}

ScfConfig read_scf(const EntryReader& reader, const MoleculeConfig& config) {
  ScfConfig scf;
  scf.names = {.basis = "molecule.basis",
               .doubly = "molecule.doubly_occupied",
               .singly = "molecule.singly_occupied",
               .occupation = "molecule.doubly_occupied and singly_occupied",
               .symmetry = "molecule.symmetry"};
  scf.unrestricted = reader.get<std::string>("molecule.method") == "uhf";
  scf.num_alpha = (config.num_electrons + config.multiplicity - 1) / 2;
  scf.num_beta = config.num_electrons - scf.num_alpha;
  scf.doubly_occupied = reader.optional_integers(scf.names.doubly);
  scf.singly_occupied = reader.optional_integers(scf.names.singly);
  if (scf.singly_occupied && !scf.doubly_occupied) {
    throw InputError(fmt::format("{}: doubly_occupied is missing; an occupation is given in full",
                                 reader.begin(scf.names.singly)));
  }
  scf.energy_tolerance = reader.get<double>("molecule.scf_tolerance");
  scf.max_iterations = reader.integer("molecule.scf_max_iterations");
  scf.level_shift = reader.get<double>("molecule.level_shift");
  scf.check_stability = reader.get<bool>("molecule.stability");
  return scf;
}

MoleculeConfig make_molecule(const EntryReader& reader, SymmetryFrame frame, const MolecularSets& sets) {
  MoleculeConfig config;
  config.frame = std::move(frame);
  const Geometry& geometry = config.frame.geometry;
  config.basis_name = sets.name(geometry);
  for (const BasisSet& set : sets.sets()) config.sets.push_back({set.name, {}, set.functions});
  config.basis = make_basis(geometry, sets.sets(), reader.begin("molecule.basis"));
  settle_electrons(reader, config);
  config.scf = read_scf(reader, config);
  return config;
}

/// Sentences about distances that look like a wrong unit or a missing digit.
std::vector<std::string> distance_warnings(const Geometry& geometry, LengthUnit unit) {
  const std::vector<std::string> names = atom_names(geometry);
  std::vector<std::string> warnings;
  for (const AtomPair& pair : find_odd_distances(geometry)) {
    const bool is_short = pair.distance < pair.expected;
    // Short by the factor between the units, or long by it.
    const bool looks_like_unit = is_short == (unit == LengthUnit::bohr);
    warnings.push_back(fmt::format(
        "atoms {} and {} are {:.3f} angstrom apart, {} a bond of about {:.2f} (by covalent radii): is a "
        "digit missing{}?",
        names[pair.first], names[pair.second], pair.distance * units::bohr_in_angstrom,
        is_short ? "far less than" : "and none is nearer, far more than",
        pair.expected * units::bohr_in_angstrom,
        looks_like_unit ? fmt::format(", or is molecule.unit = \"{}\"", is_short ? "angstrom" : "bohr")
                        : ""));
  }
  return warnings;
}

}  // namespace

Geometry read_geometry(const EntryMap& entries, const std::string& source_name) {
  const EntryReader reader(entries);
  const bool is_text = reader.has("molecule.geometry");
  if (is_text == reader.has("molecule.geometry_file")) {
    throw InputError(fmt::format("{}: [molecule] has {} of geometry and geometry_file; it needs one",
                                 source_name, is_text ? "both" : "neither"));
  }
  const std::string_view path = is_text ? "molecule.geometry" : "molecule.geometry_file";
  const std::string& given = reader.get<std::string>(path);
  const LengthUnit unit = length_unit(reader);
  const Geometry geometry = is_text ? parse_geometry(given, unit, reader.begin(path))
                                    : reader.locating(path, [&] { return read_xyz(given, unit); });
  check_limits(geometry, {}, reader.begin(path));
  check_distances(geometry, {}, reader.begin(path));
  return geometry;
}

LengthUnit length_unit(const EntryReader& reader) {
  return reader.get<std::string>("molecule.unit") == "bohr" ? LengthUnit::bohr : LengthUnit::angstrom;
}

MoleculeConfig read_molecule(const EntryMap& entries, const std::string& source_name) {
  constexpr std::string_view symmetry = "molecule.symmetry";
  const EntryReader reader(entries);
  Geometry geometry =
      surrounded(read_geometry(entries, source_name), read_surroundings(reader), charges_key(reader));
  const MolecularSets sets(reader, source_name);
  sets.assign(geometry);
  SymmetryFrame frame =
      find_symmetry(geometry, reader.get<std::string>(symmetry), {}, reader.begin(symmetry));
  MoleculeConfig molecule = make_molecule(reader, std::move(frame), sets);
  molecule.warnings = distance_warnings(molecule.frame.geometry, length_unit(reader));
  return molecule;
}

std::vector<MoleculeConfig> read_molecules(const EntryMap& entries, const std::string& source_name,
                                           std::span<const Geometry> geometries,
                                           std::span<const std::string> names) {
  constexpr std::string_view symmetry = "molecule.symmetry";
  const EntryReader reader(entries);
  const Surroundings around = read_surroundings(reader);
  const MolecularSets sets(reader, source_name);
  std::vector<Geometry> path;
  std::vector<std::string> where;
  for (std::size_t k = 0; k < geometries.size(); ++k) {
    check_limits(geometries[k], {}, names[k]);
    check_distances(geometries[k], {}, names[k]);
    where.push_back(fmt::format("{}, {}", reader.begin(symmetry), names[k]));
    path.push_back(surrounded(geometries[k], around, fmt::format("{}, {}", charges_key(reader), names[k])));
    sets.assign(path.back());
  }
  auto frames = find_common_symmetry(path, reader.get<std::string>(symmetry), {}, where);
  std::vector<MoleculeConfig> molecules;
  for (SymmetryFrame& frame : frames) molecules.push_back(make_molecule(reader, std::move(frame), sets));
  return molecules;
}

}  // namespace cisolve::detail
