// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tasks/ci/sector_problem.hpp"

namespace cisolve {

/// Prints what a list of determinants will take as large as the input lets it grow: it is grown a little, and what its
/// matrix takes is extrapolated.
/// @return bytes of a result file
/// @throws DoesNotFit, EmptySpaceError  with the input key; InputError
std::int64_t print_growth_plan(const RunContext& context, const CiJob& job, const Resources& resources);

}  // namespace cisolve
