// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cisolve/analysis/natural_orbitals.hpp"
#include "cisolve/core/matrix.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_molecule.hpp"

namespace cisolve {

/// Orbitals of a result as other programs get them: those of the run, or natural orbitals between frozen ones.
struct ExportedOrbitals {
  std::string what;         ///< "SCF orbitals", "natural orbitals of root 2"
  Matrix coefficients;      ///< [functions x orbitals]; no elements where there are no functions
  std::vector<int> irreps;  ///< zero-based
  std::vector<double> energies, occupations;  ///< natural ones have energies 0; empty: not known
  std::vector<int> core, active;  ///< places of the frozen core, and of the orbitals of the CI in its order
  std::optional<NaturalOrbitals> natural = {};  ///< over the orbitals of the CI, if they are those
};

/// All orbitals of a molecule's result.
/// @throws InputError  natural orbitals cannot be had, see natural_orbitals_of
ExportedOrbitals exported_orbitals(const ExportedResult& from, const ResultMolecule& parts,
                                   const ExportOptions& options);

/// The active orbitals of a result without basis functions; energies are left empty, and occupations unless they are natural ones.
/// @throws InputError  natural orbitals cannot be had
ExportedOrbitals exported_active_orbitals(const ExportedResult& from, const ExportOptions& options);

}  // namespace cisolve
