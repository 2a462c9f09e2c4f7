// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tasks/orbitals/averaged_ci.hpp"

namespace cisolve {

/// The states of all sectors, each over a list of its own that grows as [selection] says, to orbitals.determinants, and
/// their average: energy and one-particle density. Prints nothing and writes no checkpoints.
/// @throws EmptySpaceError, InputError  a sector has no or too few determinants
/// @throws Interrupted                  a stop was requested
AveragedStates average_over_lists(const RunContext& context, const std::vector<CiJob>& jobs);

}  // namespace cisolve
