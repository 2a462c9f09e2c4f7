// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/page/parts.hpp"

namespace cisolve::page {

// Sections of the page of a result; without a body where there is nothing to show.

/// What was calculated: molecule or file, method, electrons and orbitals, dimension, where.
Markup overview(const CiResult& result);

/// "C2H4", "H2O"; ghosts are not counted.
std::string formula_of(const CiResult::Molecule& molecule);

/// How the states were found, in a chemist's words: "CISD over RHF orbitals".
std::string method_of(const CiResult& result);

/// Table of the roots, with corrections for what the space leaves out.
Section energies_section(const CiResult& result);

/// Roots as levels, a column for each multiplicity and irrep.
Section levels_section(const CiResult& result);

/// Transitions, and the absorption of the lowest root.
Section spectrum_section(const CiResult& result);

/// The leading configurations of each root as orbital diagrams.
Section configurations_section(const CiResult& result);

/// Natural occupations, unpaired electrons, dipoles, charges.
Section properties_section(const CiResult& result);

/// Correlations of a lattice's lowest level.
Section correlations_section(const CiResult& result);

/// Geometry, SCF and its orbitals.
Section molecule_section(const CiResult& result);

/// How a list of determinants grew, and its extrapolation.
Section growth_section(const CiResult& result);

/// How orbitals were optimised.
Section optimisation_section(const CiResult& result);

/// How the solver converged, and the SCF.
Section convergence_section(const CiResult& result);

/// Spaces, how H was stored, and where the time went.
Section resources_section(const CiResult& result);

/// Input and what identifies the result.
Section input_section(const CiResult& head, const CiResult& hashed, std::string_view file_name);

/// Curves of a scan.
Section curves_section(const ScanResult& scan);

/// Minima of the curves of a diatomic molecule.
Section constants_section(const ScanResult& scan);

/// What became of each point.
Section points_section(const ScanResult& scan);

}  // namespace cisolve::page
