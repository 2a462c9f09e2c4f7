// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sampling/trial_state.hpp"

namespace cisolve::sampling {

/// Makes phi, ghost pairs and derivatives of a bcs state whose parameters, electrons, sites and varied are set.
/// @throws InputError  as make_trial_state for what the momenta say
/// @pre the cluster is translation invariant
void make_pairs(const Cluster& cluster, TrialState& state);

}  // namespace cisolve::sampling
