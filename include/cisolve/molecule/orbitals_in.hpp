// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/molecule/molden.hpp"
#include "cisolve/molecule/scf.hpp"

namespace cisolve {

/// How far orbitals that were read may be from what they should be.
struct OrbitalsInConfig {
  double orthonormality =
      1e-4;                ///< > 0; largest element of C^T S C - 1: more are other normalisations of d and f
  double position = 1e-4;  ///< bohr, > 0; of an atom, after turning
  double same_shell = 1e-9;    ///< > 0; 1 less the overlap of two contractions: above, they are not the same
  double lost = 1e-6;          ///< > 0; of an orbital's norm squared by projection; above, a warning
  double irrep_weight = 1e-2;  ///< > 0; weight of an orbital in other irreps than its own
  double change = 1e-3;        ///< > 0; norm of what making an orbital orthonormal changes; above, a warning
  double dependence = 1e-7;    ///< see ScfConfig
};

/// Orbitals of another program for a molecule.
struct OrbitalsIn {
  ScfOrbitals orbitals;  ///< those of the file by descending occupation, then those that it lacks
  std::vector<std::string> warnings;
};

/// Orbitals of a file over the basis functions of a molecule, in its frame: turned, put into the order of functions,
/// projected where the bases differ, of pure irrep, and made orthonormal anew, doubly, singly occupied and empty ones one
/// after the other. Where there are fewer than the functions can make, empty ones are added. Orbitals of equal occupation
/// (to 1e-6) keep their order; the first are occupied. Energies are left 0.
/// @param file    as read_molden gives them
/// @param config  of the SCF that they stand in for: its electrons
/// @param where   begins the messages
/// @throws InputError  atoms, normalisation, symmetry or numbers do not fit
/// @throws Error       in a build without Libint2
OrbitalsIn place_orbitals(const MoldenOrbitals& file, const SymmetryFrame& frame, const GaussianBasis& basis,
                          const ScfConfig& electrons, const std::string& where,
                          const OrbitalsInConfig& config = {});

/// The determinant of given orbitals as an SCF that took no steps: its energy, <S^2> and occupation; orbital energies are
/// diagonal elements of the Fock matrix of its spin-summed density.
/// @param config  electrons
ScfResult determinant_of(const MolecularBasis& molecule, const ScfConfig& config, ScfOrbitals orbitals);

}  // namespace cisolve
