// SPDX-License-Identifier: MIT
// [crystal] and [potential].
#include <algorithm>
#include <map>

#include "cisolve/core/names.hpp"
#include "cisolve/core/units.hpp"
#include "tasks/flapw/readers.hpp"
#include "tasks/input/table_reader.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {

namespace {

constexpr std::string_view lattice_key = "crystal.lattice", types_key = "crystal.types",
                           atoms_key = "crystal.atoms", fourier_key = "potential.fourier";

std::vector<double> read_energies(const TableReader& table, int lmax) {
  constexpr std::string_view field = "energy";
  constexpr double usual = 0.15;  // hartree, as of Elk and exciting
  const std::size_t count = static_cast<std::size_t>(lmax) + 1;
  if (!table.has(field)) return std::vector(count, usual);
  if (const auto* number = std::get_if<double>(&table.value(field))) return std::vector(count, *number);
  const auto& list = table.get<std::vector<double>>(field);
  if (list.size() != count)
    table.refuse(field, fmt::format("has {} numbers; lmax = {} needs {}, one for each l from 0", list.size(),
                                    lmax, count));
  return list;
}

lapw::AtomType read_atom_type(const TableReader& table, double unit, bool has_potential) {
  lapw::AtomType type;
  type.name = table.get<std::string>("name");
  if (type.name.empty()) table.refuse("name", "is empty; atoms are given by it");
  type.radius = table.get<double>("radius") * unit;
  if (table.has("lmax")) type.lmax = table.integer("lmax");
  constexpr std::string_view nonspherical = "lmax_nonspherical";
  if (table.has(nonspherical)) {
    type.lmax_nonspherical = table.integer(nonspherical);
    if (type.lmax_nonspherical > type.lmax)
      table.refuse(nonspherical,
                   fmt::format("is {}, more than lmax = {}", type.lmax_nonspherical, type.lmax));
  } else if (has_potential) {
    type.lmax_nonspherical = type.lmax;
  }
  type.energy = read_energies(table, type.lmax);
  return type;
}

void read_atom_types(const EntryReader& reader, double unit, lapw::Crystal& crystal) {
  for (const TableReader& table : tables_of(reader, types_key)) {
    lapw::AtomType type = read_atom_type(table, unit, reader.has(fourier_key));
    if (std::ranges::find(crystal.types, type.name, &lapw::AtomType::name) != crystal.types.end())
      table.refuse("name",
                   fmt::format("= {} is given twice; each type has a name of its own", in_quotes(type.name)));
    crystal.types.push_back(std::move(type));
  }
}

[[noreturn]] void refuse_type(const TableReader& table, const std::string& name,
                              const lapw::Crystal& crystal) {
  std::vector<std::string_view> known;
  for (const lapw::AtomType& type : crystal.types) known.push_back(type.name);
  const std::string_view near = nearest_word(name, known);
  table.refuse("type", fmt::format("= {} is not the name of a type{} (crystal.types: {})", in_quotes(name),
                                   near.empty() ? "" : fmt::format("; did you mean {}?", in_quotes(near)),
                                   fmt::join(known, ", ")));
}

void read_atoms(const EntryReader& reader, lapw::Crystal& crystal) {
  for (const TableReader& table : tables_of(reader, atoms_key)) {
    const std::string& name = table.get<std::string>("type");
    const auto type = std::ranges::find(crystal.types, name, &lapw::AtomType::name);
    if (type == crystal.types.end()) refuse_type(table, name, crystal);
    lapw::AtomSite atom;
    atom.type = static_cast<int>(type - crystal.types.begin());
    atom.position = three_numbers(reader, table.path("position"), table.get<std::vector<double>>("position"));
    if (table.has("rotation")) {
      atom.rotation = three_rows(reader, table.path("rotation"));
      table.locating("rotation", [&] { lapw::require_orthogonal(atom.rotation); });
    }
    crystal.atoms.push_back(atom);
  }
}

lapw::Complex read_coefficient(const TableReader& table) {
  if (const auto* number = std::get_if<double>(&table.value("v"))) return *number;
  const auto& parts = table.get<std::vector<double>>("v");
  if (parts.size() != 2)
    table.refuse("v", fmt::format("has {} numbers; a number or [real part, imaginary part] is expected",
                                  parts.size()));
  return {parts[0], parts[1]};
}

lapw::Index3 read_g(const TableReader& table) {
  const auto& g = table.get<std::vector<std::int64_t>>("g");
  if (g.size() != 3) table.refuse("g", fmt::format("has {} numbers; three integers are expected", g.size()));
  return {static_cast<int>(g[0]), static_cast<int>(g[1]), static_cast<int>(g[2])};
}

std::string index_text(const lapw::Index3& g) { return fmt::format("[{}]", fmt::join(g, ", ")); }

/// V(r) is real: each G has its -G, with the conjugate.
void require_real(const std::vector<TableReader>& tables, const lapw::FourierPotential& potential,
                  const std::map<lapw::Index3, std::size_t>& places) {
  constexpr double rounding = 1e-10;  // hartree; of numbers that are written with 10 digits
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const lapw::Index3& g = potential.g[i];
    const lapw::Index3 opposite = {-g[0], -g[1], -g[2]};
    const auto partner = places.find(opposite);
    if (partner == places.end())
      tables[i].refuse("g", fmt::format("= {} has no {} beside it, which a real potential needs, with the "
                                        "conjugate v",
                                        index_text(g), index_text(opposite)));
    if (std::abs(potential.v[i] - std::conj(potential.v[partner->second])) > rounding)
      tables[i].refuse("v", opposite == g ? fmt::format("of G = {} must be real", index_text(g))
                                          : fmt::format("of G = {} is not the conjugate of that of {}, as a "
                                                        "real potential needs",
                                                        index_text(g), index_text(opposite)));
  }
}

lapw::FourierPotential read_potential(const EntryReader& reader) {
  lapw::FourierPotential potential;
  std::map<lapw::Index3, std::size_t> places;
  const std::vector<TableReader> tables = tables_of(reader, fourier_key);
  for (const TableReader& table : tables) {
    const lapw::Index3 g = read_g(table);
    if (!places.emplace(g, potential.g.size()).second)
      table.refuse("g", fmt::format("= {} is given twice; each G stands once", index_text(g)));
    potential.g.push_back(g);
    potential.v.push_back(read_coefficient(table));
  }
  require_real(tables, potential, places);
  return potential;
}

}  // namespace

lapw::Vector3 three_numbers(const EntryReader& reader, std::string_view path,
                            const std::vector<double>& numbers) {
  if (numbers.size() != 3)
    reader.refuse(path, fmt::format("has {} numbers where three are expected", numbers.size()));
  return {numbers[0], numbers[1], numbers[2]};
}

lapw::Matrix3 three_rows(const EntryReader& reader, std::string_view path) {
  const auto& rows = reader.get<std::vector<std::vector<double>>>(path);
  if (rows.size() != 3)
    reader.refuse(path, fmt::format("has {} rows; three rows of three numbers are expected", rows.size()));
  return {three_numbers(reader, path, rows[0]), three_numbers(reader, path, rows[1]),
          three_numbers(reader, path, rows[2])};
}

void read_crystal(const EntryReader& reader, FlapwConfig& config) {
  lapw::Crystal crystal;
  const double unit =
      reader.get<std::string>("crystal.unit") == "angstrom" ? 1.0 / units::bohr_in_angstrom : 1.0;
  crystal.lattice.a = three_rows(reader, lattice_key);
  for (lapw::Vector3& row : crystal.lattice.a) {
    for (double& x : row) x *= unit;
  }
  reader.locating(lattice_key, [&] { lapw::require_volume(crystal.lattice); });
  config.k_max = reader.get<double>("crystal.k_max");
  read_atom_types(reader, unit, crystal);
  read_atoms(reader, crystal);
  reader.locating(atoms_key, [&] { lapw::require_apart(crystal); });
  if (reader.has(fourier_key)) {
    config.potential = read_potential(reader);
    reader.locating(fourier_key, [&] { lapw::require_same_surroundings(crystal, *config.potential); });
  }
  config.crystal = std::move(crystal);
}

}  // namespace cisolve::detail
