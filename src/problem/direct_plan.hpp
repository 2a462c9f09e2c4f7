// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/problem/plan.hpp"

namespace cisolve {

/// Plans H applied string by string; see make_plan.
/// @param problem  without a DirectObstacle
DirectPlan plan_direct(const Problem& problem, const PlanOptions& options, const Resources& resources);

/// Whether states of lower spins, which as a rule lie below, would be found first: then S^2 is projected on from
/// the start, else only once a root of another spin has come up.
bool has_lower_spins(const SpinStructure& spin);

}  // namespace cisolve
