// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"

namespace cisolve {

/// The overlap of alpha with beta orbitals that unrestricted integrals themselves imply.
struct RecoveredOverlap {
  Matrix overlap;  ///< U_pq = <p alpha|q beta> up to a common sign, which S^2 does not see, [n x n]
  double violation =
      0.0;  ///< hartree; the largest difference between integrals over beta orbitals and those that
            ///< U makes from the ones over alpha orbitals
};

/// Finds how beta orbitals are made of alpha ones from unrestricted integrals alone, if both span one space.
///
/// Every pair ij of alpha orbitals makes a one-electron operator that is known over alpha orbitals, (ij|pq)_aa, and
/// over beta ones, (ij|pq)_ab; over one space O_beta = U^T O_alpha U for all of them. The eigenvectors of a random
/// combination, which has no degenerate eigenvalues, give U up to a sign each, and a second combination these. O(n^5).
/// @param integrals  unrestricted
/// @returns U, which is that of one space where the violation is that of the rounding of the integrals: where the
///          spaces differ by frozen orbitals it is 1e-4 hartree or more
/// @throws DimensionError if they are restricted, or as check_shapes
RecoveredOverlap recover_overlap(const Integrals& integrals);

/// The largest violation, hartree, at which both spins are taken to span one space: files have ten digits or more.
inline constexpr double one_space_violation = 1e-6;

/// An overlap over all orbitals, none of which is frozen.
SpinOverlap spin_overlap(Matrix overlap, std::string source);

/// What is left of an overlap when orbitals of both spins are frozen.
/// @param core, virtuals, active  zero-based, ascending: together all orbitals
SpinOverlap freeze(const SpinOverlap& overlap, const std::vector<int>& core, const std::vector<int>& virtuals,
                   const std::vector<int>& active);

}  // namespace cisolve
