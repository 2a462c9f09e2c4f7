// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "cisolve/lattice/pair_shells.hpp"

namespace cisolve {

/// A factor of a trial state for charges and spins at a distance,
///
///     exp sum_{i<j} [ v(ij) (n_i - 1) (n_j - 1) + u(ij) Sz_i Sz_j ],
///
/// v and u being those of the shell that a pair of sites belongs to, and 0 beyond the shells that are given. As
/// Sz = (n_up - n_down) / 2, it is a sum over pairs of electrons on different sites, v + u / 4 of like and v - u / 4 of unlike
/// spins, and of a term of each site. See R. Jastrow, Phys. Rev. 98, 1479 (1955), doi:10.1103/PhysRev.98.1479, and
/// M. Capello et al., Phys. Rev. Lett. 94, 026406 (2005), doi:10.1103/PhysRevLett.94.026406.
struct JastrowFactor {
  PairShells shells = {};
  std::vector<double> like = {};    ///< [shells + 1] of electrons of the same spin; of number 0 it is 0
  std::vector<double> unlike = {};  ///< [shells + 1] of an up and a down electron
  std::vector<double> offset = {};  ///< [sites] sum_j v(ij), by which an electron on site i is charged less

  bool is_empty() const { return shells.sites == 0; }
};

/// Most shells that can be given. With those of all pairs one is superfluous, as the number of electrons does not change: the
/// sum over all pairs is one over doubly occupied sites.
int most_jastrow_shells(const PairShells& shells);

/// The factor of a model's cluster; empty if both lists are.
/// @param density  v of shells 1, 2, ..
/// @param spin     u of shells 1, 2, ..
/// @throws InputError  more numbers than there can be, or one that is not finite
JastrowFactor make_jastrow_factor(const LatticeModel& model, std::span<const double> density,
                                  std::span<const double> spin);

}  // namespace cisolve
