// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/ci/basis.hpp"

namespace cisolve {

/// Dipoles, transition dipoles, oscillator strengths, natural occupations and Mulliken charges of a molecule's
/// roots; nothing without a molecule, without roots, or if they are not wanted.
/// @param states  of one sector, with their vectors over `basis`
std::optional<CiResult::Properties> describe_properties(const CiConfig& config, const CiJob& job,
                                                        const Basis& basis, const CiResult::States& states);

/// A root by the zero-based numbers of its sector and of itself in there.
struct RootInSector {
  std::size_t sector = 0;
  std::size_t root = 0;
};

/// Properties of roots of several sectors, in the order given. Transitions from one sector to another are NaN:
/// the vectors are of different spaces. Nothing if one of the roots has none.
std::optional<CiResult::Properties> merged_properties(const std::vector<CiResult::Sector>& sectors,
                                                      const std::vector<RootInSector>& order);

}  // namespace cisolve
