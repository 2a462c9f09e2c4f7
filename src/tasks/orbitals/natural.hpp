// SPDX-License-Identifier: MIT
#pragma once

#include "tasks/orbitals/optimise.hpp"

namespace cisolve {

/// Replaces the active orbitals of the jobs by natural ones of their CI, averaged over all sectors, and again where the
/// input asks for several cycles; empty ones of low occupation are left out where it asks for that. Gives the jobs
/// integrals over the orbitals found and these orbitals themselves, fills /orbitals and /system anew, and prints a cycle
/// a line. Energies may rise: natural orbitals make expansions short. No checkpoint is written before the last CI; one
/// of that has the orbitals.
/// @throws as optimise_orbitals
/// @see P.-O. Lowdin, Phys. Rev. 97 (1955) 1474, doi:10.1103/PhysRev.97.1474;
///      C. F. Bender, E. R. Davidson, J. Phys. Chem. 70 (1966) 2675, doi:10.1021/j100880a036
OptimisedOrbitals replace_by_natural_orbitals(const RunContext& context, std::vector<CiJob>& jobs,
                                              const OptimisationStart& start);

}  // namespace cisolve
