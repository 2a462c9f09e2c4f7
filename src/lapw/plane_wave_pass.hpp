// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/lapw/matrices.hpp"

namespace cisolve::lapw {

/// What a pass over pairs of plane waves writes, the first step of every algorithm: what lies between the spheres, and with
/// `spherical` the overlap and the spherical Hamiltonian in them by the addition theorem,
///   S[g, g'] = (4 pi)^2/Omega sum_t s_t(G - G') sum_l (2l+1)/(4 pi) P_l(cos) [F_l F'_l + N_l G_l G'_l],
/// H likewise with E_l [F F' + N_l G G'] + (F G' + G F')/2. Lower triangles; all of them are written.
/// @return useful flops
double plane_wave_pass(const MatrixProblem& problem, bool spherical, HermitianPair& out);

/// Useful flops of such a pass.
double plane_wave_flops(const MatrixProblem& problem, bool spherical);

}  // namespace cisolve::lapw
