// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve {

/// What is said of the parts of an orbital.
struct ContributionConfig {
  double least = 0.05;  ///< smaller parts are left out, but never the largest
  int most = 3;         ///< parts of an orbital
};

/// Name of the shell of an atom that a basis function belongs to, "2p": of the functions of one angular
/// momentum, in the order of the set, the first is the lowest shell of the atom and so on; what comes beyond
/// the valence shell (split valence, diffuse functions) counts to it.
/// @param charge            of the nucleus
/// @param angular_momentum  l
/// @param number            of the function among those of that l on the atom, from 0
std::string shell_name(int charge, int angular_momentum, int number);

/// The atoms and shells that orbitals are made of, largest first: "O 2p 0.81, H2+H3 1s 0.17". Parts are Loewdin
/// populations, the squares of the coefficients over symmetrically orthonormalised functions: from 0 to 1, 1 in all.
/// Atoms that symmetry makes equal are taken together: two by name, more by number ("4 C").
/// @param coefficients  [functions x orbitals], orthonormal
/// @returns one text per orbital
/// @throws Error in a build without Libint2
/// @see P.-O. Lowdin, J. Chem. Phys. 18 (1950) 365, doi:10.1063/1.1747632
std::vector<std::string> orbital_contributions(const GaussianBasis& basis, const SymmetryFrame& frame,
                                               const Matrix& coefficients,
                                               const ContributionConfig& config = {});

}  // namespace cisolve
