// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/selection/externals.hpp"

// What a selection of one's own chooses from: determinants that are none of a basis, and what they bring to wavefunctions over
// it. SelectedCi selects by itself.

namespace cisolve {

/// Determinants outside of a basis.
struct ExternalDeterminants {
  std::vector<std::uint64_t> alpha, beta;  ///< [size * words of a string]
  std::vector<double> measures = {};       ///< [size] where they were chosen by one
  std::int64_t size = 0;
};

/// Those with |H_ai c_i| > epsilon for any function i of the basis and any wavefunction, ascending; see heat_bath_selection.
/// @param tables   of the orbitals of the basis
/// @param vectors  [basis.size() x any], column-major
/// @param epsilon  hartree, 0 or more
/// @throws InputError      the functions are CSFs
/// @throws DimensionError  `vectors` are not over the basis, `tables` not over its orbitals
/// @throws Interrupted
ExternalDeterminants connected_determinants(const Basis& basis, const IntegralTables& tables,
                                            std::span<const double> vectors, double epsilon,
                                            const ExternalOptions& options = {});

/// Second-order sums over all of them, and those that are chosen, descending by measure; see ExternalSpace::sum.
/// @throws as connected_determinants
SecondOrder sum_over_externals(const Basis& basis, const IntegralTables& tables,
                               const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                               ExternalDeterminants& chosen, const ExternalOptions& options = {});

/// Second-order sums over a sample of them; see ExternalSpace::estimate.
/// @throws as connected_determinants
SecondOrder estimate_over_externals(const Basis& basis, const IntegralTables& tables,
                                    const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                    const ExternalOptions& options = {});

}  // namespace cisolve
