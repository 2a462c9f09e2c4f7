// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"

namespace cisolve {

/// Pairs of sites in shells of equal distance, by which two-site factors of trial states are the same.
struct PairShells {
  int sites = 0;
  std::vector<std::int16_t> number =
      {};                              ///< [sites x sites] of the shell, from 1 by distance; 0: a site with
                                       ///< itself, or sites that no bonds connect
  std::vector<double> distances = {};  ///< of each shell: in spacings of the lattice, on a graph in bonds
  bool are_all_connected = true;

  int count() const { return static_cast<int>(distances.size()); }
  int operator()(int i, int j) const { return of_site(i)[j]; }
  /// Shells of site i with each other one.
  const std::int16_t* of_site(int i) const {
    return number.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(sites);
  }
};

/// Shells of a model's cluster. Distances are those of the nearest images, through closed boundaries; between sites of a graph
/// the fewest bonds that lead from one to the other.
/// @throws DimensionError  more than 32767 shells
PairShells pair_shells(const LatticeModel& model);

}  // namespace cisolve
