// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/lattice/band_orbitals.hpp"
#include "cisolve/lattice/lattice_model.hpp"

namespace cisolve {

/// The Hubbard model as integrals over orbitals:
///
///     h_pq = sum_ij C_ip h_ij C_jq
///     (pq|rs) = U sum_i C_ip C_iq C_ir C_is + sum_bonds V_b (C_ip C_iq C_jr C_js + C_jp C_jq C_ir C_is)
///
/// Those that the irreps forbid are exact zeros.
/// @throws DimensionError if the hopping is complex, or the model is t-J
Integrals hubbard_integrals(const LatticeModel& model, const LatticeOrbitals& orbitals);

/// The Hubbard model over its sites with any phases of the boundaries.
/// @throws DimensionError if the model is t-J
ComplexIntegrals complex_hubbard_integrals(const LatticeModel& model);

/// The t-J model as integrals over its sites, for determinants without a doubly occupied site:
///
///     h_ij = -t_ij      (ii|jj) = V_ij - J_ij / 2      (ij|ij) = -J_ij / 2
///
/// since (ij|ij) sum_st c+_is c+_jt c_it c_js = -(ij|ij) (2 S_i.S_j + n_i n_j / 2). The pairs that (ij|ij) moves, too, lie
/// outside that space.
/// @throws DimensionError if the hopping is complex, or the model is Hubbard's
Integrals t_j_integrals(const LatticeModel& model);

}  // namespace cisolve
