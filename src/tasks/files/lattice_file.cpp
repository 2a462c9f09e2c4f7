// SPDX-License-Identifier: MIT
#include "tasks/files/lattice_file.hpp"

#include <array>
#include <utility>

#include "cisolve/core/error.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/result_columns.hpp"

namespace cisolve {
namespace {

using States = CiResult::LatticeStates;

/// An array of all roots: how long each root's part is follows from the lattice.
struct StateArray {
  const char* name;
  std::vector<double> States::*member;
  enum class Of { root, site, pair, momentum, spin_momentum } of;
  const char* unit;
  const char* description;
};

constexpr std::array<StateArray, 12> state_arrays = {{
    {"kinetic", &States::kinetic, StateArray::Of::root, "hartree", "energy of all hopping"},
    {"exchange", &States::exchange, StateArray::Of::root, "hartree", "energy of J; t-J"},
    {"interaction", &States::interaction, StateArray::Of::root, "hartree", "energy of U; Hubbard"},
    {"repulsion", &States::repulsion, StateArray::Of::root, "hartree", "energy of V"},
    {"density", &States::density, StateArray::Of::site, "1", "<n_i>"},
    {"double_occupancy", &States::double_occupancy, StateArray::Of::site, "1", "<n_iu n_id>"},
    {"s_s", &States::s_s, StateArray::Of::pair, "hbar^2", "<S_i.S_j>"},
    {"sz_sz", &States::sz_sz, StateArray::Of::pair, "hbar^2", "<Sz_i Sz_j>"},
    {"n_n", &States::n_n, StateArray::Of::pair, "1", "<n_i n_j>"},
    {"spin_structure_factor", &States::spin_structure_factor, StateArray::Of::momentum, "hbar^2",
     "S(q) of lattice/wave_vectors"},
    {"charge_structure_factor", &States::charge_structure_factor, StateArray::Of::momentum, "1",
     "N(q) of lattice/wave_vectors"},
    {"momentum_distribution", &States::momentum_distribution, StateArray::Of::spin_momentum, "1",
     "n(k) of lattice/momenta, of up and of down electrons"},
}};

/// Empty: a lattice of this kind has none.
Hdf5Shape shape_of(StateArray::Of of, const CiResult& result) {
  const LatticeDescription& lattice = *result.lattice;
  const std::uint64_t roots = result.roots.size(), sites = static_cast<std::uint64_t>(lattice.n_sites);
  const bool has_momenta = !lattice.momenta.empty();
  switch (of) {
    case StateArray::Of::root:
      return {roots};
    case StateArray::Of::site:
      return {roots, sites};
    case StateArray::Of::pair:
      return has_momenta ? Hdf5Shape{roots, sites} : Hdf5Shape{roots, sites, sites};
    case StateArray::Of::momentum:
      return has_momenta ? Hdf5Shape{roots, sites} : Hdf5Shape{};
    case StateArray::Of::spin_momentum:
      return has_momenta ? Hdf5Shape{roots, 2, sites} : Hdf5Shape{};
  }
  return {};
}

}  // namespace

void write_lattice(Hdf5Group& group, const LatticeDescription& description) {
  Hdf5Group lattice = group.create_group("lattice");
  write_attributes(lattice, description, lattice_columns());
  write_arrays(lattice, description, lattice_arrays());
}

LatticeDescription read_lattice_description(const Hdf5Group& group, const std::filesystem::path& file) {
  const Hdf5Group lattice = group.open_group("lattice");
  LatticeDescription read;
  read_attributes(lattice, read, lattice_columns());
  if (read.n_sites < 2)
    throw InputError("'" + file.string() + "' is damaged: group 'lattice' has fewer than two sites");
  read_arrays(lattice, read, lattice_arrays());
  return read;
}

void write_lattice(Hdf5Group& group, const CiResult& result) {
  if (!result.lattice) return;
  write_lattice(group, *result.lattice);
  Hdf5Group states = group.open_group("states");
  if (!result.momenta.empty()) {
    states.write<double>("momentum", result.momenta, {result.roots.size(), 2},
                         {"pi", "total momentum of each root along x and y; NaN: not known, or none"});
  }
  if (!result.lattice_states) return;
  Hdf5Group values = states.create_group("lattice");
  values.write<std::int32_t>(
      "group", result.lattice_states->group, {result.roots.size()},
      {.description =
           "number of the level that the root is of, from 1: values of degenerate roots are averages"});
  for (const StateArray& array : state_arrays) {
    const Hdf5Shape shape = shape_of(array.of, result);
    if (shape.empty()) continue;
    std::string description = array.description;
    if (array.of == StateArray::Of::pair && shape.size() == 2)
      description += " by displacement: site j from site 1, averaged over translations";
    values.write<double>(array.name, (*result.lattice_states).*(array.member), shape,
                         {array.unit, description});
  }
}

void read_lattice(const Hdf5Group& group, const std::filesystem::path& file, CiResult& result) {
  if (!group.contains("lattice")) return;
  result.lattice = read_lattice_description(group, file);
  const Hdf5Group states = group.open_group("states");
  if (states.contains("momentum")) result.momenta = states.read<double>("momentum", {result.roots.size(), 2});
  if (!states.contains("lattice")) return;
  const Hdf5Group values = states.open_group("lattice");
  States& found = result.lattice_states.emplace();
  found.group = values.read<std::int32_t>("group", {result.roots.size()});
  for (const StateArray& array : state_arrays) {
    const Hdf5Shape shape = shape_of(array.of, result);
    if (!shape.empty()) found.*(array.member) = values.read<double>(array.name, shape);
  }
}

std::uint64_t bytes_of_lattice(const CiResult& result) {
  if (!result.lattice) return 0;
  constexpr std::uint64_t of_groups = 64 * 1024;
  std::uint64_t numbers = 7 * result.lattice->bonds.size() + 6 * result.lattice->coordinates.size();
  if (result.lattice_states) {
    for (const StateArray& array : state_arrays) numbers += ((*result.lattice_states).*(array.member)).size();
  }
  return of_groups + 8 * numbers;
}

std::span<const Column<LatticeDescription>> lattice_columns() {
  using L = LatticeDescription;
  static constexpr Column<L> columns[] = {
      {"kind", &L::kind, "", "\"chain\", \"square\", \"tilted\", \"vectors\" or \"bonds\""},
      {"boundary", &L::boundary, "",
       "\"periodic\", \"antiperiodic\", \"open\" or an angle; of two that differ \"periodic, open\"; \"\": a "
       "graph"},
      {"model", &L::model, "", "\"Hubbard\" or \"t-J\""},
      {"orbitals", &L::orbitals, "", "functions that electrons are in: \"band\" or \"site\""},
      {"unit", &L::unit, "", "of all energies: that in which t is given"},
      {"t", &L::t, "", "hopping between nearest neighbours"},
      {"t2", &L::t2, "", "between second neighbours"},
      {"t3", &L::t3, "", "between third neighbours"},
      {"U", &L::u, "", "repulsion on a site"},
      {"J", &L::j, "", "exchange of nearest neighbours"},
      {"V", &L::v, "", "repulsion of nearest neighbours"},
      {"n_sites", &L::n_sites, "", "of the cluster"},
      {"n_electrons", &L::n_electrons, "", "on it"},
      {"ms2", &L::ms2, "", "n_up - n_down"},
      {"dimensions", &L::dimensions, "", "1, 2; 0: a graph"},
      {"multiply_joined", &L::multiply_joined, "", "pairs of sites that several bonds join"},
  };
  return columns;
}

std::span<const ArrayColumn<LatticeDescription>> lattice_arrays() {
  using L = LatticeDescription;
  constexpr auto of_plane = [](const L& l) {
    return Hdf5Shape{l.dimensions == 0 ? 0U : static_cast<std::uint64_t>(l.n_sites), 2};
  };
  constexpr auto momenta = [](const L& l) {
    const bool has_some = l.dimensions > 0 && l.boundary.find("open") == std::string::npos;
    return Hdf5Shape{has_some ? static_cast<std::uint64_t>(l.n_sites) : 0U, 2};
  };
  constexpr auto of_bonds = [](const L& l) { return Hdf5Shape{l.bond_phases.size()}; };
  static constexpr ArrayColumn<L> columns[] = {
      {.name = "vectors",
       .member = &L::vectors,
       .shape =
           [](const L& l) {
             return Hdf5Shape{l.dimensions == 0 ? 0U : 2U, 2};
           },
       .unit = "1",
       .description = "spanning vectors, one per row; of a chain the second is (0, 1)"},
      {.name = "coordinates",
       .member = &L::coordinates,
       .shape = of_plane,
       .unit = "1",
       .description = "of the sites, in units of the spacing"},
      {.name = "bond_phases",
       .member = &L::bond_phases,
       .description =
           "phase of c+_i c_j of each bond: 1, or -1 across an antiperiodic boundary; 0: another angle"},
      {.name = "bond_angles",
       .member = &L::bond_angles,
       .shape = of_bonds,
       .unit = "pi",
       .description = "angle of that phase"},
      {.name = "bonds",
       .member = &L::bonds,
       .shape =
           [](const L& l) {
             return Hdf5Shape{l.bond_phases.size(), 2};
           },
       .description = "the two sites of each, from 1"},
      {.name = "bond_parameters",
       .member = &L::bond_parameters,
       .shape =
           [](const L& l) {
             return Hdf5Shape{l.bond_phases.size(), 3};
           },
       .unit = "hartree",
       .description = "t, J, V of each bond"},
      {.name = "momenta",
       .member = &L::momenta,
       .shape = momenta,
       .unit = "pi",
       .description = "of electrons, as the boundaries allow; empty: a direction is open, or it is a graph"},
      {.name = "wave_vectors",
       .member = &L::wave_vectors,
       .shape = momenta,
       .unit = "pi",
       .description = "of spin and charge: momenta of periodic boundaries"},
      {.name = "band_energies",
       .member = &L::band_energies,
       .unit = "hartree",
       .description = "of the orbitals, without U and V; empty: orbitals are the sites"},
  };
  return columns;
}

}  // namespace cisolve
