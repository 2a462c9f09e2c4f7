// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/orbitals/final_orbitals.hpp"

namespace cisolve {

/// Fills what /orbitals says of the orbitals themselves.
/// @param one     averaged density matrix over the active orbitals
/// @param irreps  of the active orbitals, zero-based
void describe(const FinalSet& orbitals, const Matrix& one, std::span<const int> irreps,
              CiResult::Orbitals& record);

/// Names of the natural orbitals, in their order: the active orbital that each has most of.
std::vector<std::string> natural_orbital_names(const Matrix& one, std::span<const int> irreps,
                                               const CiJob& job);

}  // namespace cisolve
