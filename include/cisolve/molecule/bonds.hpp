// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// Covalent radius of an element, bohr; of Mn, Fe and Co that of high spin, of C that of sp3.
/// @param charge  of the nucleus
/// @returns 0 beyond xenon
/// @see B. Cordero et al., Dalton Trans. (2008) 2832, doi:10.1039/b801115j
double covalent_radius(int charge);

/// Two atoms and how far they are apart.
struct AtomPair {
  int first = 0, second = 0;  ///< zero-based, first < second
  double distance = 0.0;      ///< bohr
  double expected = 0.0;      ///< sum of the covalent radii, bohr
};

/// How far from the sum of the covalent radii two atoms are thought bonded, or a distance a mistake.
struct BondConfig {
  double longest_bond =
      1.3;  ///< times the sum: atoms up to there are bonded, as in most programs that draw them
  double too_short = 0.68;  ///< times the sum: the triple bond of N2 is at 0.77, all others at more
  double too_long = 1.8;    ///< times the sum, from an atom to the nearest other: the bond of H2+ is at 1.71
};

/// The pairs of atoms that are bonded, by their distance, in ascending order of atoms. Ghosts are bonded to nobody.
std::vector<AtomPair> find_bonds(const Geometry& geometry, const BondConfig& config = {});

/// Distances that look like a mistake (a unit, a digit): atoms that are too near each other, and atoms whose
/// nearest neighbour is far away. Noble gases bind nobody, and metals of the d block bind each other at any
/// distance: of these nothing is said, nor of ghosts.
std::vector<AtomPair> find_odd_distances(const Geometry& geometry, const BondConfig& config = {});

/// What a report calls each atom: its label if no other has it, else the symbol with the atom's number,
/// such as "O3", of a ghost "Gh(O3)".
/// @param labels   of the atoms, as given
/// @param charges  of their nuclei; 0: a ghost, whose label names an element
std::vector<std::string> atom_names(const std::vector<std::string>& labels, const std::vector<int>& charges);

/// Names of the atoms of a geometry; see above.
std::vector<std::string> atom_names(const Geometry& geometry);

}  // namespace cisolve
