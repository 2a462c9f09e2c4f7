// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/selection/externals.hpp"
#include "tasks/run/run_context.hpp"

// What ends the growth of a list, whichever part of it is under way.
namespace cisolve {

/// Whether E2 of all wanted roots is so small that the growth ends.
inline bool is_small_enough(const SelectionConfig& selection, const SecondOrder& found, int wanted) {
  const std::size_t roots = std::min(found.energy.size(), static_cast<std::size_t>(wanted));
  return selection.correction > 0.0 &&
         std::all_of(found.energy.begin(), found.energy.begin() + static_cast<std::ptrdiff_t>(roots),
                     [&](double energy) { return std::abs(energy) <= selection.correction; });
}

/// Stops a solver as soon as the user wants that.
inline std::function<SolverAction(const SearchState&)> stop_observer(const RunContext& context) {
  return [&context](const SearchState& state) {
    context.control.hear_of(state.requests);
    return context.control.stop_requested() ? SolverAction::stop : SolverAction::proceed;
  };
}

/// @throws Interrupted
inline void throw_if_stopped(const RunContext& context) {
  if (context.control.stop_requested()) throw Interrupted("stopped while a list was solved");
}

}  // namespace cisolve
