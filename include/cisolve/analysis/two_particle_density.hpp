// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// Spin-resolved two-particle density matrices of a real vector c over determinants, in chemists' order, which
/// contracts with (pq|rs): for spins s and t
///     G^st[p,q,r,s] = <c| a+_ps a+_rt a_st a_qs |c>
///
/// | array | shape | element |
/// |---|---|---|
/// | `aa`, `bb` | [pairs, pairs], pairs = n (n - 1) / 2 | G[p,q,r,s] for p > r, q > s at (pair(p, r), pair(q, s)) |
/// | `ab` | [n * n, n * n] | G[p,q,r,s], p and q of alpha electrons, at (p * n + q, r * n + s) |
///
/// Arrays are row-major. The others of one spin follow: G[p,q,r,s] = -G[r,q,p,s] = -G[p,s,r,q], and all are symmetric,
/// G[p,q,r,s] = G[q,p,s,r]. Elements that are forbidden by symmetry are exact zeros.
struct TwoParticleDensity {
  int num_orbitals = 0;
  std::vector<double> aa, bb, ab;

  TwoParticleDensity() = default;
  /// Zeros.
  explicit TwoParticleDensity(int num_orbitals);

  /// Number of the pair p > r in `aa` and `bb`.
  static std::size_t pair(int p, int r) { return static_cast<std::size_t>(p) * (p - 1) / 2 + r; }
  std::size_t num_pairs() const { return pair(num_orbitals, 0); }

  double alpha_alpha(int p, int q, int r, int s) const { return same_spin(aa, p, q, r, s); }
  double beta_beta(int p, int q, int r, int s) const { return same_spin(bb, p, q, r, s); }
  double alpha_beta(int p, int q, int r, int s) const {
    const std::size_t n = num_orbitals;
    return ab[((static_cast<std::size_t>(p) * n + q) * n + r) * n + s];
  }

  /// Bytes of the arrays for so many orbitals.
  static std::int64_t bytes(int num_orbitals);

private:
  double same_spin(const std::vector<double>& packed, int p, int q, int r, int s) const;
};

/// Two-particle density matrices of a vector over a space of determinants.
///
/// Sums have an order that the space and `max_bytes` fix: results do not depend on the number of threads.
/// @param vector     real, shape [space.size()]
/// @param max_bytes  that sums under way may take beside vector and result: more of them, up to a limit, let more threads
///                   take part. At least one is made, however little is allowed.
/// @throws DimensionError if the vector is not of the space
/// @see T. Helgaker, P. Jorgensen, J. Olsen, Molecular Electronic-Structure Theory (2000), section 1.7
template <int Words>
TwoParticleDensity two_particle_density(const Space<Words>& space, std::span<const double> vector,
                                        std::int64_t max_bytes);

/// The spin-summed matrix G = G^aa + G^bb + G^ab + transposed G^ab, of which
///     E = E_core + sum h_pq D_pq + 1/2 sum (pq|rs) G[p,q,r,s].
/// @return shape [n, n, n, n], row-major
std::vector<double> spin_summed(const TwoParticleDensity& density);

/// The two halves of sum_r G[p,q,r,r] = (N - 1) D[p,q].
struct PartialTraces {
  Matrix alpha;  ///< (N - 1) D^alpha, [orbitals x orbitals]
  Matrix beta;   ///< (N - 1) D^beta
};

/// The traces of two-particle matrices over one of their electrons: N - 1 times the one-particle matrices of each spin,
/// N being the number of all electrons. Of one electron they are zeros, which say nothing of its density.
PartialTraces partial_traces(const TwoParticleDensity& density);

/// The energy of a state from its density matrices, hartree.
/// @param alpha, beta  D of each spin, symmetric, [orbitals x orbitals]
/// @throws DimensionError if the numbers of orbitals differ
double energy(const Integrals& integrals, const Matrix& alpha, const Matrix& beta,
              const TwoParticleDensity& density);

/// The same from the spin-summed D, where both spins have the same orbitals.
/// @throws DimensionError also if they don't
double energy(const Integrals& integrals, const Matrix& one_particle, const TwoParticleDensity& density);

/// The expectation value of S^2 from the opposite-spin density of a normalised state, hbar^2:
///     <S^2> = Ms (Ms + 1) + n_beta - sum_pq G^ab[p,q,q,p]
double s_squared(const TwoParticleDensity& density, int num_alpha, int num_beta);

/// The same where the spins have orbitals of their own, U being their overlap and D the one-particle densities:
///     <S^2> = Ms (Ms - 1) + sum_pr (U U^T)_pr D^alpha_pr - sum_pqrs U_pq U_rs G^ab[r,p,q,s]
/// with what frozen orbitals bring (SpinOverlap).
double s_squared(const TwoParticleDensity& density, const Matrix& alpha, const Matrix& beta, int num_alpha,
                 int num_beta, const SpinOverlap& overlap);

}  // namespace cisolve
