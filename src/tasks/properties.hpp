// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/tasks/ci_job.hpp"
#include "cisolve/tasks/ci_result.hpp"

namespace cisolve {

/// Dipoles, transition dipoles, oscillator strengths, natural occupations and Mulliken charges of a molecule's
/// roots, into result.states.properties. Nothing without a molecule.
/// @param vectors  [dimension x roots] over `space`, column-major, in the order of result.states.energy
void describe_properties(const CiConfig& config, const CiJob& job, const Space<string_words>& space,
                         std::span<const double> vectors, CiResult& result);

}  // namespace cisolve
