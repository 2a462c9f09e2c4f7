// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/integrals/integrals.hpp"

namespace cisolve {

/// The integrals that are left when orbitals are frozen.
struct ActiveIntegrals {
  Integrals integrals;               ///< over the active orbitals; core energy and h include the core
  std::vector<int> active_orbitals;  ///< zero-based number before freezing, ascending
  /// Complex ones; `integrals` then have what energies of determinants take of them, as diagonal_part gives it.
  std::shared_ptr<const ComplexIntegrals> complex = {};
};

/// Frozen core and active orbitals, checked and in ascending order; the others are frozen virtuals.
struct OrbitalPartition {
  std::vector<int> core;    ///< zero-based
  std::vector<int> active;  ///< neither core nor virtual
};

/// What messages call the two lists of orbitals.
struct FrozenNames {
  std::string core = "frozen core", virtuals = "frozen virtuals";
};

/// Parts orbitals into frozen core, active and frozen virtual ones.
/// @param num_orbitals    in all
/// @param core, virtuals  zero-based orbitals, in any order
/// @throws InputError     as freeze
OrbitalPartition partition_orbitals(int num_orbitals, const std::vector<int>& core,
                                    const std::vector<int>& virtuals, const FrozenNames& names = {});

/// Freezes orbitals: `core` stays doubly occupied, `virtuals` stay empty.
///
///     E_core' = E_core + 2 sum_i h_ii + sum_ij [2 (ii|jj) - (ij|ij)]
///     h'_pq   = h_pq + sum_i [2 (pq|ii) - (pi|qi)]              i, j over the core
///
/// Of unrestricted integrals the orbitals of both spins, and with s, t for the spins:
///
///     E_core' = E_core + sum_s sum_i h^s_ii + 1/2 sum_st sum_ij [(ii|jj)^st - delta_st (ij|ij)^ss]
///     h^s'_pq = h^s_pq + sum_t sum_i [(pq|ii)^st - delta_st (pi|qi)^ss]
///
/// @param core, virtuals  zero-based orbitals, in any order
/// @throws InputError     if an orbital is out of range, named twice or in both lists, or none is left;
///                        messages count orbitals from 1
/// @throws DimensionError as check_shapes
/// @see T. Helgaker, P. Jorgensen, J. Olsen, Molecular Electronic-Structure Theory (2000): the inactive
///      Fock matrix
ActiveIntegrals freeze(const Integrals& integrals, const std::vector<int>& core,
                       const std::vector<int>& virtuals);

}  // namespace cisolve
