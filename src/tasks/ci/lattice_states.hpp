// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// Gives a result whose sectors are complete the correlations and momenta of its roots, where there is a lattice.
/// @param bases  of the sectors; null where one has no functions
void add_lattice_states(const RunContext& context, const std::vector<CiJob>& jobs,
                        std::span<const std::unique_ptr<Basis>> bases);

}  // namespace cisolve
