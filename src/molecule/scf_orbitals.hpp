// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <vector>

#include "molecule/scf_run.hpp"

// Orbitals of the state where an SCF ended, and that state over them.

namespace cisolve::detail {

/// Canonical orbitals of a restricted state.
ScfOrbitals canonical_orbitals(const ScfSetting& setting, const ScfState& state);

/// Canonical orbitals of either spin: of a restricted state one set, of an unrestricted one alpha's and beta's, each
/// sorted by itself.
std::vector<ScfOrbitals> canonical_sets(const ScfSetting& setting, const ScfState& state);

/// The state over its canonical orbitals, for what looks around it.
OrbitalPoint orbital_point(const ScfSetting& setting, const ScfState& state, const ScfOrbitals& canonical);

/// The same of a state of either kind.
/// @param canonical  as canonical_sets gives them
OrbitalPoint orbital_point(const ScfSetting& setting, const ScfState& state,
                           const std::vector<ScfOrbitals>& canonical);

/// Orbitals that exp(kappa) turns, to start from; kappa is over the orbitals of orbital_point.
/// @param occupation  of the irreps
OccupiedOrbitals turned_orbitals(const ScfSetting& setting, const std::vector<ScfOrbitals>& canonical,
                                 const Eigen::MatrixXd& kappa, const Occupation& occupation);

}  // namespace cisolve::detail
