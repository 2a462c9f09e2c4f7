// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Electrons that are not frozen.
struct ActiveElectrons {
  int alpha;
  int beta;
};

/// Settles what a sector's states are expanded in, once its integrals, electrons and limits are known: references,
/// irrep, excitation level.
/// @throws InputError       naming the key of what contradicts the orbitals
/// @throws EmptySpaceError  there is no reference
void settle_functions(const CiConfig& config, const SectorChoice& sector, const ActiveElectrons& electrons,
                      CiJob& job);

}  // namespace cisolve
