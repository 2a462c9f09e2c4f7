// SPDX-License-Identifier: MIT
#include "tasks/files/result_file_molecule.hpp"

#include "tasks/files/column_io.hpp"
#include "tasks/files/result_columns.hpp"

namespace cisolve {
namespace {

void write_geometry(Hdf5Group& group, const CiResult::Molecule& molecule) {
  const std::uint64_t atoms = molecule.labels.size();
  group.write_strings("labels", molecule.labels, {atoms}, {.description = "of the atoms, as given"});
  group.write<std::int32_t>("charges", molecule.charges, {atoms}, {"e", "nuclear charges"});
  group.write<double>("coordinates", molecule.coordinates, {atoms, 3},
                      {"bohr", "in the frame of the calculation"});
  group.write<double>("origin", molecule.origin, {3}, {"bohr", "of that frame, in the axes given"});
  group.write<double>("axes", molecule.axes, {3, 3},
                      {"1", "x, y, z of that frame, one per row, in the axes given"});
}

void write_scf(Hdf5Group& group, const CiResult::Molecule& molecule) {
  const std::uint64_t irreps = molecule.doubly_occupied.size(), orbitals = molecule.occupations.size();
  group.write<std::int32_t>("doubly_occupied", molecule.doubly_occupied, {irreps},
                            {.description = "orbitals per irrep"});
  group.write<std::int32_t>("singly_occupied", molecule.singly_occupied, {irreps},
                            {.description = "orbitals per irrep"});
  group.write<double>("orbital_energies", molecule.orbital_energies, {orbitals},
                      {"hartree", "of all orbitals"});
  group.write<std::int32_t>("occupations", molecule.occupations, {orbitals},
                            {.description = "2, 1 or 0 in the SCF state"});
  group.write<std::int32_t>("orbital_irreps", molecule.orbital_irreps, {orbitals},
                            {.description = "Molpro numbers from 1"});
  group.write<double>(
      "orbital_coefficients", molecule.coefficients,
      {orbitals, static_cast<std::uint64_t>(molecule.num_functions)},
      {"1",
       "an orbital per row, over the basis functions: by atom, in the order of the basis set; Cartesian "
       "xx, xy, xz, yy, yz, zz, all normalised as xx; spherical by m = -l .. l"});
  const std::uint64_t iterations = molecule.scf_energies.size();
  group.write<double>("scf_energies", molecule.scf_energies, {iterations}, {"hartree", "per iteration"});
  group.write<double>("scf_gradients", molecule.scf_gradients, {iterations},
                      {"hartree", "largest element of the orbital gradient, per iteration"});
}

}  // namespace

void write_molecule(Hdf5Group& root, const CiResult::Molecule& molecule) {
  Hdf5Group group = root.create_group("molecule");
  write_attributes(group, molecule, molecule_columns());
  write_geometry(group, molecule);
  write_scf(group, molecule);
}

CiResult::Molecule read_molecule(const Hdf5Group& group) {
  CiResult::Molecule molecule;
  read_attributes(group, molecule, molecule_columns());
  molecule.labels = group.read_strings("labels").values;
  const std::uint64_t atoms = molecule.labels.size();
  molecule.charges = group.read<std::int32_t>("charges", {atoms});
  molecule.coordinates = group.read<double>("coordinates", {atoms, 3});
  molecule.origin = group.read<double>("origin", {3});
  molecule.axes = group.read<double>("axes", {3, 3});
  molecule.doubly_occupied = group.read<std::int32_t>("doubly_occupied").values;
  molecule.singly_occupied = group.read<std::int32_t>("singly_occupied", {molecule.doubly_occupied.size()});
  molecule.orbital_energies = group.read<double>("orbital_energies").values;
  const std::uint64_t orbitals = molecule.orbital_energies.size();
  molecule.occupations = group.read<std::int32_t>("occupations", {orbitals});
  molecule.orbital_irreps = group.read<std::int32_t>("orbital_irreps", {orbitals});
  molecule.coefficients = group.read<double>("orbital_coefficients",
                                             {orbitals, static_cast<std::uint64_t>(molecule.num_functions)});
  molecule.scf_energies = group.read<double>("scf_energies").values;
  molecule.scf_gradients = group.read<double>("scf_gradients", {molecule.scf_energies.size()});
  return molecule;
}

}  // namespace cisolve
