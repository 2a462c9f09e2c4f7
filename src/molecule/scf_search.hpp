// SPDX-License-Identifier: MIT
#pragma once

#include <stop_token>
#include <vector>

#include "molecule/scf_run.hpp"

// From a converged state to lower ones.

namespace cisolve::detail {

/// Another occupation of the irreps, reached from a state by one or two replacements of orbitals.
struct Replacement {
  OccupiedOrbitals start;
  double estimate = 0.0;  ///< change of the energy before the orbitals relax, hartree
};

/// The best replacement for each occupation of the irreps that differs from the state's, ascending; those whose
/// estimate is below `limit`. Per irrep the highest occupied orbital of each occupation and the lowest empty one
/// take part.
std::vector<Replacement> low_replacements(const ScfSetting& setting, const ScfState& state, double limit);

/// The same of an unrestricted state: one orbital of either spin is replaced.
std::vector<Replacement> low_spin_replacements(const ScfSetting& setting, const ScfState& state,
                                               double limit);

/// Of the two states of a linear molecule that differ by x and y alone, such as the components of a Pi state, the one
/// whose electrons stand first in the order of the irreps: its occupied orbitals, where `state` is the other one. So
/// that a point of a scan does not depend on where it came from.
std::optional<OccupiedOrbitals> axial_partner(const ScfSetting& setting, const ScfState& state);

/// A state, and what was found on the way down to it.
struct SearchedState {
  ScfState state;
  std::vector<ScfDescent> descents;
};

/// Goes down from a converged state as long as that leads lower: along an instability that keeps the symmetry, to
/// another occupation of the irreps.
SearchedState descend(const ScfSetting& setting, ScfState state, const std::stop_token& stop);

}  // namespace cisolve::detail
