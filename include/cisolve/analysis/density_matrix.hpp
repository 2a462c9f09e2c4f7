// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// Spin-summed one-particle density matrices of vectors over determinants, and transition densities between
/// them:
///     D(k, l)_pq = <k| a+_p,alpha a_q,alpha + a+_p,beta a_q,beta |l>
/// The sums have a fixed order: results do not depend on the number of threads.
class DensityMatrices {
public:
  DensityMatrices(int num_vectors, int num_orbitals);
  /// Of both spins together, where bras and kets are the same.
  explicit DensityMatrices(const SpinDensities& of_spins);

  int num_vectors() const noexcept { return num_vectors_; }

  /// The matrix D(k, l), [orbitals x orbitals], for k <= l; D(l, k) is its transpose.
  Matrix& operator()(int k, int l) { return matrices_[at(k, l)]; }
  const Matrix& operator()(int k, int l) const { return matrices_[at(k, l)]; }

private:
  std::size_t at(int k, int l) const {
    return static_cast<std::size_t>(l) * (static_cast<std::size_t>(l) + 1) / 2 + static_cast<std::size_t>(k);
  }

  int num_vectors_;
  std::vector<Matrix> matrices_;
};

/// Density and transition density matrices of vectors over a space.
/// @param space        of determinants
/// @param irreps       zero-based, of the orbitals: in a space of one irrep, elements between orbitals of
///                     different irreps vanish and are not looked for
/// @param vectors      [dimension x num_vectors], column-major, real
/// @param num_vectors  columns of `vectors`
/// @throws DimensionError if the sizes do not agree
/// @see T. Helgaker, P. Jorgensen, J. Olsen, Molecular Electronic-Structure Theory (2000), section 1.7
template <int Words>
DensityMatrices density_matrices(const Space<Words>& space, std::span<const int> irreps,
                                 std::span<const double> vectors, int num_vectors);

}  // namespace cisolve
