// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/integrals/integrals.hpp"

namespace cisolve {

using Complex = std::complex<double>;

/// Complex molecular integrals, in hartree, of a Hermitian Hamiltonian. Orbitals count from 0. Either spatial orbitals
/// that electrons of both spins share (in a magnetic field, at a k-point), or spinors, each of which holds one electron
/// and none of which has a spin.
///
///     (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)*      (pq|rs) = int p*(1) q(1) r*(2) s(2) / r12
///
/// | array | shape | element |
/// |---|---|---|
/// | `one` | [n * n] | h(p, q) at p * n + q |
/// | `two` | [num_pairs(n * n)] | (pq\|rs) at the pair index of p * n + q and r * n + s |
struct ComplexIntegrals {
  /// Sets all integrals to zero.
  /// @throws DimensionError if `num_orbitals` is negative
  ComplexIntegrals(int num_orbitals, bool are_spinors);
  ComplexIntegrals() = default;

  Complex& h(int p, int q) { return one[pair(p, q)]; }
  Complex h(int p, int q) const { return one[pair(p, q)]; }
  Complex& eri(int p, int q, int r, int s) { return two[pair_index(pair(p, q), pair(r, s))]; }
  Complex eri(int p, int q, int r, int s) const { return two[pair_index(pair(p, q), pair(r, s))]; }

  /// Number of the ordered pair pq.
  std::size_t pair(int p, int q) const noexcept {
    return static_cast<std::size_t>(p) * static_cast<std::size_t>(num_orbitals) + static_cast<std::size_t>(q);
  }

  int num_orbitals = 0;  ///< spatial orbitals, or spinors
  bool are_spinors = false;
  double core_energy = 0.0;
  std::vector<Complex> one;
  std::vector<Complex> two;
};

/// Complex integrals over spatial orbitals as ones over twice as many spinors: those of alpha spin first, then those of
/// beta spin, each in the order of the orbitals.
/// @throws DimensionError if they are over spinors already
ComplexIntegrals as_spinors(const ComplexIntegrals& integrals);

/// Freezes orbitals: `core` stays occupied, by two electrons each or, spinors, by one; `virtuals` stay empty. As freeze
/// of real integrals, whose formulas hold with the exchange integral (pi|iq); of spinors
///
///     E_core' = E_core + sum_i h_ii + 1/2 sum_ij [(ii|jj) - (ij|ji)]
///     h'_pq   = h_pq + sum_i [(pq|ii) - (pi|iq)]                      i, j over the core
///
/// @param core, active  zero-based, ascending, as partition_orbitals gives them
ComplexIntegrals freeze(const ComplexIntegrals& integrals, const std::vector<int>& core,
                        const std::vector<int>& active);

/// The integrals that energies of determinants take, as real ones: h_pp, (pp|qq) and, at (pq|pq), the exchange (pq|qp), all
/// of which are real. All others are zero, all orbitals totally symmetric.
Integrals diagonal_part(const ComplexIntegrals& integrals);

/// How far integrals are from those of an H that commutes with time reversal, if orbitals 2k and 2k + 1, counted from 0, are
/// the Kramers pairs of spinors: the largest difference, in hartree, of an integral from what T makes of it, where
/// T |2k> = |2k + 1>, T |2k + 1> = -|2k>, p' is the partner of p and s_p = 1 for even p, -1 for odd.
///
///     h_pq = s_p s_q (h_p'q')*      (pq|rs) = s_p s_q s_r s_s (p'q'|r's')*
///
/// @throws DimensionError if their number is odd
double kramers_violation(const ComplexIntegrals& integrals);

/// Whether all orbitals come in Kramers pairs, in any order and of any phase: p and p' = T p have the same density
/// everywhere, (pp|qq) = (p'p'|qq) and h_pp = h_p'p', and none in common, (pp'|p'p) = 0. Spatial orbitals of one density
/// overlap. Not told of spinors in a magnetic field.
/// @param tolerance  hartree, of an integral
bool are_kramers_pairs(const ComplexIntegrals& integrals, double tolerance);

/// 64-bit content hash, as that of real integrals.
std::uint64_t hash(const ComplexIntegrals& integrals);

}  // namespace cisolve
