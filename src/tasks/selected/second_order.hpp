// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/problem/selected_ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// E2 by the sum that the input asks for.
/// @throws Interrupted
SecondOrder sum_externals(const RunContext& context, const SelectedCi& list,
                          const Wavefunctions& wavefunctions);

/// Puts E2 into the last pass.
void record_second_order(CiResult::Selection& reached, const SecondOrder& found);

/// Adds to the roots of a sector what perturbation theory says of all determinants outside of the list, and where that
/// leads if it is taken to nothing.
/// @throws Interrupted
void add_second_order(const RunContext& context, const SelectedCi& list, CiResult::Sector& sector);

}  // namespace cisolve
