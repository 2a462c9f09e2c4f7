// SPDX-License-Identifier: MIT
#pragma once

#include "tasks/ci/set_up.hpp"

namespace cisolve {

/// Tables, spin and plan of a sector whose H is applied string by string; see takes_direct.
/// @param problem  with basis and tables
/// @throws ResourceError, EmptySpaceError as set_up
void set_up_direct(const CiConfig& config, CiProblem& problem, CiResult& result);

/// Whether states of lower spins, which as a rule lie below, would be found first: then S^2 is projected on from
/// the start, else only once a root of another spin has come up.
bool has_lower_spins(const SpinStructure& spin);

}  // namespace cisolve
