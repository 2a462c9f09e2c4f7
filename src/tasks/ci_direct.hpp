// SPDX-License-Identifier: MIT
#pragma once

#include "tasks/ci_steps.hpp"

namespace cisolve {

/// Elements of S^2 up to which a run without a stored H stores that: 3 GiB. Beyond, counting and filling
/// it would take longer than many products, and a root of another spin is dropped by its <S^2>.
inline constexpr double most_spin_nonzeros = 268'435'456.0;

/// Tables, spin and plan of a sector whose H is applied string by string; see takes_direct.
/// @param problem  with basis and tables
/// @throws ResourceError, EmptySpaceError as set_up
void set_up_direct(const CiConfig& config, CiProblem& problem, CiResult& result);

}  // namespace cisolve
