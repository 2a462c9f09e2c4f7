// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/core/matrix.hpp"

namespace cisolve {

/// <Psi| A^+ A |Psi> / <Psi|Psi> of a one-electron operator A = sum_pq a_pq E_pq, whatever A makes of Psi: none of it
/// is cut away. With R_pq = <p| r x grad |q> it is the expectation value of the squared angular momentum.
/// @param psi       determinants, each once; need not be normalised
/// @param a         [orbitals x orbitals]
/// @param smallest  elements of `a` up to this magnitude are left out
/// @throws DimensionError if there is not one coefficient per determinant
/// @return 0 if psi is empty
template <int Words>
double one_body_norm(const DeterminantVector<Words>& psi, const Matrix& a, double smallest = 1e-6);

}  // namespace cisolve
