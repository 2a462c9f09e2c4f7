// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/core/matrix.hpp"
#include "tasks/files/whole_string.hpp"

namespace cisolve {

/// A one-particle matrix over all orbitals from that over the active ones.
/// @param active       row-major, [active x active], of one spin
/// @param core         electrons of that spin in each core orbital: 1, or 0 between two states
/// @param rotation     over the active orbitals, a row each of the new ones in their places; none: as they are
/// @param transposed   gives <a+_q a_p> at [p, q]
/// @return row-major, [orbitals x orbitals]
std::vector<double> over_all_orbitals(const double* active, const OrbitalPlaces& places, double core,
                                      const Matrix* rotation, bool transposed);

/// Elements of the spin-summed two-particle density matrix over all orbitals, G[p,q,r,s] in chemists' order: those of the
/// active orbitals as given; of core orbitals, which are the same in all determinants, D[pq] D[rs] less exchange.
class FullPairDensity {
public:
  /// @param active       of one state, over the active orbitals before `rotation`
  /// @param alpha, beta  over_all_orbitals of that state, not transposed
  /// @param rotation     as for over_all_orbitals
  FullPairDensity(const TwoParticleDensity& active, const OrbitalPlaces& places,
                  const std::vector<double>& alpha, const std::vector<double>& beta, const Matrix* rotation);

  double operator()(int p, int q, int r, int s) const;

private:
  std::size_t at(int p, int q) const {
    return static_cast<std::size_t>(p) * static_cast<std::size_t>(num_orbitals_) +
           static_cast<std::size_t>(q);
  }

  int num_orbitals_;
  std::size_t num_active_;
  std::vector<int> place_;  ///< of each orbital among the active ones; -1: it is none
  std::vector<double> summed_;
  const std::vector<double>&alpha_, &beta_;
};

}  // namespace cisolve
