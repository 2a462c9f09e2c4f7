// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/lattice/lattice_model.hpp"

namespace cisolve {

/// A permutation of the sites that leaves the Hamiltonian as it is and, done twice, every site where it was.
using SiteInvolution = std::vector<int>;

/// Up to three independent involutions that commute with each other and with the Hamiltonian, so that its states have up
/// to eight irreps: translations by half of the cluster first, then mirrors of a rectangle, then inversion. None unless
/// every boundary is periodic or open, nor of a graph.
std::vector<SiteInvolution> commuting_involutions(const LatticeModel& model);

/// Orbitals of a lattice model over its sites.
struct LatticeOrbitals {
  Matrix coefficients;           ///< [sites x orbitals], orthonormal
  std::vector<double> energies;  ///< of the hopping alone; ascending where they are bands
  std::vector<int> irreps;       ///< zero-based, multiplied by XOR: bit q tells the sign under involution q
};

/// Eigenvectors of the hopping within the irreps of commuting_involutions, by energy; of energies within 1e-9 by irrep.
/// The first coefficient above 1e-8 of each is positive.
/// @throws DimensionError if the hopping is complex
LatticeOrbitals band_orbitals(const LatticeModel& model);

/// The sites themselves, whose energy is 0.
LatticeOrbitals site_orbitals(const LatticeModel& model);

}  // namespace cisolve
