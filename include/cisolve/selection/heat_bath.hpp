// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "cisolve/core/progress.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/externals.hpp"
#include "cisolve/selection/moves.hpp"
#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Determinants outside of a list with |H_ai c_i| > epsilon for any listed i and any wavefunction, ascending. Double
/// excitations are found without a look at those below epsilon.
/// @param determinants  the list, distinct
/// @param vectors       [determinants x any], column-major
/// @param epsilon       hartree
/// @throws Interrupted
/// @see A. A. Holmes, N. M. Tubman, C. J. Umrigar, J. Chem. Theory Comput. 12 (2016) 3674,
///      doi:10.1021/acs.jctc.6b00407, eq. 4
template <int Words>
std::vector<Determinant<Words>> heat_bath_selection(const IntegralTables& tables, const SameSpinMoves& alpha,
                                                    const SameSpinMoves& beta,
                                                    const OppositeSpinMoves& opposite,
                                                    std::span<const Determinant<Words>> determinants,
                                                    std::span<const double> vectors, double epsilon,
                                                    const ExternalOptions& options = {});

}  // namespace cisolve
