// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// Checks the density matrices of a result, where it has them, and adds what it finds to the certificates of the roots:
/// traces, partial traces, and of two-particle matrices the energy and <S^2>, all by these matrices alone.
/// @param integrals  over the active orbitals
/// @param threshold  hamiltonian.threshold, hartree: above 0 the roots are not those of these integrals, and energies are
///                   not compared
/// @param result     with certificates and density matrices
void certify_densities(const Integrals& integrals, double threshold, CiResult& result);

}  // namespace cisolve
