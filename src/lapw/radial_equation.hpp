// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/lapw/potential.hpp"
#include "cisolve/lapw/radial.hpp"
#include "lapw/radial_mesh.hpp"

namespace cisolve::lapw {

/// The spherical potential on a mesh, and what else all l have in common.
struct RadialProblem {
  GaussMethod method;
  RadialMesh mesh;
  double inverse_c2 = 0.0;               ///< w = 1/c^2; 0: Schroedinger's equation
  double rv_first = 0.0, rv_last = 0.0;  ///< r V at both ends, hartree bohr
  std::vector<double> rv;                ///< at the points of the mesh

  RadialProblem(const SpherePotential& potential, double radius, RadialEquation equation);
};

/// P = r u and its energy derivative on a mesh, orthonormal: int (P^2 + w Q^2) dr = 1.
struct RadialSolution {
  std::vector<double> large, small;                     ///< P and sqrt(w) Q at the points
  std::vector<double> large_dot, small_dot;             ///< of the energy derivative
  double u = 0.0, u_r = 0.0, udot = 0.0, udot_r = 0.0;  ///< at the radius
  double udot_norm = 0.0;
};

/// Not finite where the potential is not, or too deep.
RadialSolution solve_radial_equation(const RadialProblem& problem, int l, double energy);

}  // namespace cisolve::lapw
