// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/molecule/surroundings.hpp"

namespace cisolve {

/// A nucleus and where it is, bohr; or a ghost, a place with the basis functions of an element but without nucleus and
/// electrons.
struct Atom {
  int charge = 0;     ///< nuclear charge, 1 to 118; 0: a ghost
  std::string label;  ///< as given: "H", "H1"; of a ghost "Gh(H)", "Gh(H1)"
  Position position = {};
  int ghost_of = 0;  ///< nuclear charge of the element whose functions a ghost has; 0: it is none
  int set = 0;       ///< number of its basis set, where the molecule has several

  bool is_ghost() const noexcept { return ghost_of != 0; }
  /// Nuclear charge of the element whose functions it has.
  int element() const noexcept { return is_ghost() ? ghost_of : charge; }
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

/// What the label of an atom means.
struct AtomLabel {
  int element = 0;        ///< nuclear charge of the element; 0: it names none
  bool is_ghost = false;  ///< functions without a nucleus
  std::string text;       ///< as given; of a ghost "Gh(O1)", however it was written
};

/// Reads the label of an atom, "O" or "O1", or of a ghost: "Gh(O1)" or "@O1" as in Psi4, "ghost-O1" or "X-O1" as in
/// PySCF, "O1:" as in ORCA, "O1-Bq" as in Gaussian, "bqO1" as in NWChem; in any case.
AtomLabel parse_atom_label(std::string_view word);

/// "O", or "Gh(O)" for a ghost.
std::string atom_symbol(const Atom& atom);

/// Reads atoms from text: a line each (or separated by ";") with symbol, x, y, z; "#" begins a comment.
/// @param where  begins the messages, such as "h2o.inp:4: molecule.geometry"
/// @throws InputError  with the line of the text, what was found and what is expected; there are only ghosts
Geometry parse_geometry(std::string_view text, LengthUnit unit, const std::string& where);

/// Reads an .xyz file: the number of atoms, a comment, a line per atom.
/// @throws InputError   absent or refused, with its line
/// @throws SystemError  cannot be read
Geometry read_xyz(const std::filesystem::path& file, LengthUnit unit);

/// Reads an .xyz file that may hold several geometries, one after another.
/// @throws InputError, SystemError  as read_xyz
std::vector<Geometry> read_xyz_frames(const std::filesystem::path& file, LengthUnit unit);

/// Least distances of atoms, bohr.
struct LeastDistances {
  double nuclei = 0.1;   ///< > 0; no two nuclei of a molecule are nearer
  double ghosts = 1e-3;  ///< > 0; of a ghost from any atom: nearer, the same functions would be there twice
};

/// Checks that no two atoms are too near each other.
/// @param geometry  positions in bohr
/// @param least     nearer atoms are a mistake
/// @param where     begins the message
/// @throws InputError  naming the first pair of atoms nearer than that
void check_distances(const Geometry& geometry, const LeastDistances& least, const std::string& where);

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
