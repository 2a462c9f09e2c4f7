// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "cisolve/problem/selected_ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// Keeps what the growth of a list has reached.
using SelectionSaver = std::function<void(const SelectedCi& list, const CiResult::Selection& reached)>;

/// Grows a list of determinants until an end that the input names: solves, selects, adds, and prints a line for each pass.
/// @param[in,out] reached  what an interrupted growth had reached; passes are added
/// @param save             called now and then, and before an interruption is told
/// @return interrupted: a stop was requested, and all was saved; else converged
SolverStatus grow_list(const RunContext& context, SelectedCi& list, CiResult::Selection& reached,
                       const SelectionSaver& save);

}  // namespace cisolve
