// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/sampling/reconfiguration.hpp"
#include "cisolve/sampling/sampler.hpp"

namespace cisolve {

/// Takes the energies and log-derivatives of a block to the moments of each chain.
void add_moments(const BlockSums& block, std::vector<ReconfigurationMoments>& moments);

/// What the moments say, without variances that are nothing but the rounding of what they are differences of: divided
/// by those, forces would be noise.
ReconfigurationEstimate estimate_of(const std::vector<ReconfigurationMoments>& moments);

}  // namespace cisolve
