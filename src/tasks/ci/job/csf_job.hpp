// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/space/configuration_space.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Settles the references of a job over CSFs that the input lists as occupations: u, d and 1 all mean singly
/// occupied. Fills job.csf's references, the irrep and the reference energy.
/// @throws InputError naming space.reference
void settle_listed_configurations(const CiConfig& config, const SectorChoice& sector, CiJob& job);

/// Settles the rest of job.csf: the configurations of the reference determinants unless they were listed,
/// level and RAS limits, which references must keep.
/// @throws InputError naming space.max_holes or space.max_particles if none does
void settle_csf(const CiConfig& config, CiJob& job);

}  // namespace cisolve
