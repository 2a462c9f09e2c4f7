// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {

/// Gives the roots of a molecule's sector what `property_columns` lists; nothing without a molecule, or if it is
/// not wanted.
void add_properties(const CiConfig& config, const CiJob& job, const Basis& basis, CiResult::Sector& sector);

}  // namespace cisolve
