// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// What a Molden file holds: a molecule, its basis functions and orbitals over them.
struct MoldenOrbitals {
  std::string title;
  Geometry geometry;    ///< bohr
  GaussianBasis basis;  ///< on these atoms
  Matrix coefficients;  ///< [functions x orbitals], in the order and the normalisation of `basis`
  std::vector<std::string> symmetries;  ///< of each orbital: "3a1"
  std::vector<double> energies;         ///< hartree
  std::vector<double> occupations;      ///< 0 to 2
  int num_alpha =
      0;  ///< of orbitals of each spin: the first so many are alpha's, the others beta's; 0: of both
};

/// Why a Molden file can't hold a basis, in one sentence: a shell beyond g, for which the format has no order of functions,
/// or Cartesian and spherical shells of one angular momentum. Empty if it can.
std::string molden_obstacle(const GaussianBasis& basis, const Geometry& geometry);

/// Orbitals as a Molden file, with 17 significant digits. Contractions are normalised to one, as are all functions of a
/// shell, Cartesian ones each by itself; the order of functions is that of the format.
/// Orbitals of each spin are all listed, alpha's first.
/// @throws InputError      the format cannot hold the basis: see molden_obstacle
/// @throws DimensionError  sizes do not agree
/// @see G. Schaftenaar and J. H. Noordik, J. Comput.-Aided Mol. Design 14 (2000) 123, doi:10.1023/A:1008193805436
std::string molden_text(const MoldenOrbitals& orbitals);

/// Reads orbitals from a Molden file of any program. Contractions are normalised, whatever the coefficients; coefficients
/// of Cartesian functions are taken to belong to functions that are normalised each by itself, as the format has it:
/// see orthonormality_error.
/// @throws InputError   absent or refused, with its line: Slater functions, orbitals of two spins, shells beyond g
/// @throws SystemError  cannot be read
MoldenOrbitals read_molden(const std::filesystem::path& file);

}  // namespace cisolve
