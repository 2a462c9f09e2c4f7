// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/potential.hpp"
#include "lapw/radial_equation.hpp"
#include "lapw/radial_mesh.hpp"

namespace cisolve::lapw {

/// i^(l'-l) sum_LM int x_l V_LM y_l' r^2 dr int conj Y_lm Y_LM Y_l'm' dOmega for x, y in {u, udot}, l, l' <= lmax.
/// @param solutions  one per l
/// @param lmax       -1: empty matrices
NonsphericalPart nonspherical_part(const RadialMesh& mesh, std::span<const RadialSolution> solutions,
                                   int lmax, const SpherePotential& potential);

}  // namespace cisolve::lapw
