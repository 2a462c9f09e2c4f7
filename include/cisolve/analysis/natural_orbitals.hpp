// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"

namespace cisolve {

/// Eigenvectors of a one-particle density matrix, and how many electrons each holds.
struct NaturalOrbitals {
  Matrix coefficients;  ///< [orbitals x orbitals]: row k is natural orbital k over those of the density
  std::vector<double> occupations;  ///< descending
  std::vector<int> irreps;          ///< of each, numbered as those given
};

/// Natural orbitals: the eigenvectors of a spin-summed one-particle density matrix, of pure irrep, by descending
/// occupation. Of equal occupations (to 1e-8) the lower irrep comes first; the largest coefficient of each orbital is
/// positive, of equally large ones the first.
/// @param density  [orbitals x orbitals], symmetric; elements between orbitals of different irreps are not read
/// @param irreps   [orbitals]
/// @throws DimensionError if the sizes do not agree
/// @see P.-O. Lowdin, Phys. Rev. 97 (1955) 1474, doi:10.1103/PhysRev.97.1474
NaturalOrbitals natural_orbitals(const Matrix& density, std::span<const int> irreps);

}  // namespace cisolve
