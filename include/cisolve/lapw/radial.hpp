// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/potential.hpp"

namespace cisolve::lapw {

enum class RadialEquation {
  schroedinger,
  scalar_relativistic  ///< D. D. Koelling, B. N. Harmon, J. Phys. C 10 (1977) 3107, doi:10.1088/0022-3719/10/16/019
};

/// Solves the radial equations of a type in a potential, and makes its `radial` and `nonspherical`.
///
/// With P = r u, x = ln r and w = 1/c^2 (or 0): P' = m Q + P, Q' = q P - Q, m = 2 r + w (r E - r V), q = l (l + 1)/m + r V - r E;
/// energy derivatives likewise with sources. Collocation at four Gauss points of each mesh interval (order 8); all integrals
/// are sums over the same points. Values are right to 1e-10 relative.
/// @param type       radius, lmax, lmax_nonspherical, energy are read
/// @param potential  of which r V must be finite
/// @throws InputError if a radial function has no finite value (l and energy are named), without naming a file
void solve_radial(AtomType& type, const SpherePotential& potential, RadialEquation equation);

/// R^2 (udot u_r - u udot_r): 2 exactly for Schroedinger's equation, to 2e-4 for the scalar-relativistic one.
std::vector<double> wronskians(const AtomType& type);

}  // namespace cisolve::lapw
