// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/molecule/surroundings.hpp"

namespace cisolve {

/// A nucleus and where it is, bohr.
struct Atom {
  int charge = 0;     ///< nuclear charge, 1 to 118
  std::string label;  ///< as given: "H", "H1"
  Position position = {};
};

/// The atoms of a molecule, in the order given, and what acts on them from outside.
struct Geometry {
  std::vector<Atom> atoms;
  Surroundings surroundings = {};
};

/// Symbol of an element, "He".
/// @throws DimensionError outside 1 .. 118
std::string_view element_symbol(int charge);

/// Nuclear charge of a symbol in any case, with or without a label behind it: "He", "H1", "O_a".
/// @returns 0 if it is no element
int element_charge(std::string_view label);

/// Reads atoms from text: a line each (or separated by ";") with symbol, x, y, z; "#" begins a comment.
/// @param where  begins the messages, such as "h2o.inp:4: molecule.geometry"
/// @throws InputError  with the line of the text, what was found and what is expected
Geometry parse_geometry(std::string_view text, LengthUnit unit, const std::string& where);

/// Reads an .xyz file: the number of atoms, a comment, a line per atom.
/// @throws InputError   absent or refused, with its line
/// @throws SystemError  cannot be read
Geometry read_xyz(const std::filesystem::path& file, LengthUnit unit);

/// Reads an .xyz file that may hold several geometries, one after another.
/// @throws InputError, SystemError  as read_xyz
std::vector<Geometry> read_xyz_frames(const std::filesystem::path& file, LengthUnit unit);

/// Checks that no two atoms are too near each other.
/// @param geometry  positions in bohr
/// @param least     bohr, > 0: nearer atoms are a mistake
/// @param where     begins the message
/// @throws InputError  naming the first pair of atoms nearer than that
void check_distances(const Geometry& geometry, double least, const std::string& where);

/// Checks that no point charge is too near an atom, nor farther out than `most`.
/// @param geometry     positions in bohr
/// @param least, most  bohr, > 0
/// @param where        begins the message
/// @throws InputError  naming the first charge that is
void check_point_charges(const Geometry& geometry, double least, double most, const std::string& where);

/// Energy of the nuclei, hartree: their repulsion, and that of their charges with point charges and a field around
/// them. That of the point charges among themselves is left out.
double nuclear_energy(const Geometry& geometry);

/// Whether it is one atom with nothing around it.
inline bool is_free_atom(const Geometry& geometry) {
  return geometry.atoms.size() == 1 && geometry.surroundings.empty();
}

/// Sum of the nuclear charges.
int total_charge(const Geometry& geometry);

/// Centre of the nuclear charges, bohr.
Position charge_centre(const Geometry& geometry);

}  // namespace cisolve
