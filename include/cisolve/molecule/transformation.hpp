// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/core/progress.hpp"
#include "cisolve/integrals/freeze.hpp"
#include "cisolve/molecule/scf.hpp"

namespace cisolve {

/// Memory of a transformation of integrals.
struct TransformationConfig {
  std::int64_t max_bytes = std::int64_t{4}
                           << 30;  ///< for half-transformed integrals, which are made in as many
                                   ///< passes over the basis functions as that takes
};

/// Integrals over the active ones of some orbitals; those of the core are folded into core energy and
/// one-electron integrals. Elements that the irreps forbid are exact zeros.
///
/// O(N^5): the two pairs of indices are transformed one after the other by matrix products.
/// @param core, virtuals  zero-based orbitals
/// @throws InputError as freeze()
/// @see S. Wilson, in Methods in Computational Chemistry 1 (1987) 251 (four-index transformations)
ActiveIntegrals transform_integrals(const FunctionIntegrals& functions, const ScfOrbitals& orbitals,
                                    const std::vector<int>& core, const std::vector<int>& virtuals,
                                    const TransformationConfig& config, const Progress& progress = {});

/// Orbitals of both spins in one order: the p-th of each are of one irrep.
struct SpinOrbitalSets {
  const ScfOrbitals& alpha;
  const ScfOrbitals& beta;
};

/// Unrestricted integrals over the active ones of alpha and of beta orbitals, as transform_integrals of orbitals of both
/// spins: equal to those over all orbitals after freeze(). With the overlap of the two sets, whose source is "basis
/// functions". Twice the passes over the basis functions.
/// @param core, virtuals  zero-based orbitals, of either spin
/// @throws InputError      as freeze()
/// @throws DimensionError  the sets differ in number or in irreps
ActiveIntegrals transform_integrals(const MolecularBasis& molecule, const SpinOrbitalSets& orbitals,
                                    const std::vector<int>& core, const std::vector<int>& virtuals,
                                    const TransformationConfig& config, const Progress& progress = {});

/// Orbitals of the noble-gas cores of all atoms: none up to He, 1 up to Ne, 5 up to Ar, 9 up to Kr ...
int noble_gas_core(const Geometry& geometry);

}  // namespace cisolve
