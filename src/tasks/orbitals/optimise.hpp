// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/ci/all_sectors.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// What an orbital optimisation leaves to the CI that follows it.
struct OptimisedOrbitals {
  bool converged = true;
  /// Of each job: [dimension x roots], column-major, over the orbitals that the jobs have now; empty: they do not fit.
  std::vector<std::vector<double>> vectors;
};

/// Optimises the orbitals of the jobs' active space for the energy averaged over all sectors: CASSCF in two steps, a CI
/// and a step of the orbitals in a trust region. Gives the jobs integrals over the orbitals found and these orbitals
/// themselves, fills /orbitals and what /system says of integrals, and prints an iteration a line. Not converging is a
/// result.
/// @param earlier  orbitals to begin with, where they fit; null: those of the SCF
/// @throws InputError, ResourceError  as the CI of a sector
/// @throws Interrupted                a stop was requested
/// @see B. O. Roos, P. R. Taylor, P. E. M. Siegbahn, Chem. Phys. 48 (1980) 157, doi:10.1016/0301-0104(80)80045-0
OptimisedOrbitals optimise_orbitals(const RunContext& context, std::vector<CiJob>& jobs,
                                    const EarlierOrbitals* earlier = nullptr);

}  // namespace cisolve
