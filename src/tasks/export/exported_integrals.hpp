// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/integrals/integrals.hpp"
#include "tasks/export/exported_orbitals.hpp"

namespace cisolve {

/// Integrals over all exported orbitals, nothing frozen: of a molecule made anew from its basis functions.
/// @param parts  null: the result has no molecule; then those of its active orbitals, frozen ones folded in
/// @throws InputError     there are no integrals
/// @throws ResourceError  they do not fit the memory
/// @throws Error          of a molecule in a build without Libint2
Integrals exported_integrals(const ExportedResult& from, const ResultMolecule* parts,
                             const ExportedOrbitals& orbitals);

}  // namespace cisolve
