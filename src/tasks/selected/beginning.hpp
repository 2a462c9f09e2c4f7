// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/problem/selected_ci.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// Roots beyond those wanted that are solved for while it is not clear which states are lowest.
inline constexpr int further_roots = 4;

/// Whether a list is so short that the states it grows for are to be found first.
bool needs_beginning(const SelectionConfig& selection, std::int64_t determinants);

/// Of a few determinants the lowest root may be one that is not among the lowest of a longer list, and has another symmetry
/// than these, so that nothing that belongs to them would ever come in (C2 fell into its 1-Delta-g). So a list that grows by
/// numbers first grows for some more roots, until perturbation theory tells which are lowest. The determinants that these began
/// with, and what is strong in those roots, are what the list begins with. A warning says so if they are not to be told.
/// @param wanted  roots
/// @return determinants of the list that told
/// @throws Interrupted if a stop was requested: the list is what it was
std::int64_t find_beginning(const RunContext& context, SelectedCi& list, int wanted);

}  // namespace cisolve
