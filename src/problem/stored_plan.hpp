// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "cisolve/problem/plan.hpp"

namespace cisolve {

/// Plans a matrix; see make_plan.
StoredPlan plan_stored(const Problem& problem, const PlanOptions& options, const Resources& resources,
                       const BuildOptions& counting);

/// Nonzeros per row of the matrix of a problem without Problem::spin, from a sample of its rows; none if a plan for it
/// would not fit.
std::optional<double> estimate_stored(const Problem& problem, const PlanOptions& options,
                                      const Resources& resources);

}  // namespace cisolve
