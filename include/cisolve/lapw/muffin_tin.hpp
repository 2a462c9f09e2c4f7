// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "cisolve/lapw/crystal.hpp"

namespace cisolve::lapw {

/// Overlap and Hamiltonian between the functions of a sphere, sum_lm i^l [A_lm u_l + B_lm udot_l] Y_lm. The matrices are
/// num_functions(lmax) square; T_BA is the adjoint of T_AB.
struct MuffinTin {
  int lmax = 0;
  std::vector<double> udot_norm;   ///< N_l, one per l
  ComplexMatrix t_aa, t_ab, t_bb;  ///< hartree; T_AA and T_BB Hermitian
};

/// T of a type whose radial functions are known: spherical part E_l, 1/2, E_l N_l on the diagonals, and its
/// non-spherical one.
MuffinTin muffin_tin(const AtomType& type);

/// sqrt(N_l) of each function (l, m).
std::vector<double> udot_norms_by_function(const MuffinTin& tin);

/// Whether T_AA has a Cholesky factor, which the algorithm of the paper asks of each atom.
bool is_positive_definite(const MuffinTin& tin);

/// T = [[T_AA, T_AB], [T_AB^H, T_BB]] = P P^H - M M^H, columns ordered by eigenvalue. Practically every T has eigenvalues of
/// both signs.
struct SignedFactors {
  ComplexMatrix plus, minus;  ///< P and M, 2 N_L rows; columns of P and M together at most 2 N_L
};
SignedFactors signed_factors(const MuffinTin& tin);
/// Of several, by threads.
std::vector<SignedFactors> signed_factors(std::span<const MuffinTin> tins);

}  // namespace cisolve::lapw
