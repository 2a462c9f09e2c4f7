// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "cisolve/molecule/scf.hpp"

namespace cisolve::detail {

/// A converged determinant in its own orbitals.
struct StationaryPoint {
  Eigen::MatrixXd orbitals;  ///< [functions x orbitals]
  std::vector<int> irreps;
  std::vector<int> alpha, beta;           ///< 0 or 1 per orbital
  Eigen::MatrixXd fock_alpha, fock_beta;  ///< over the orbitals
};

struct Instability {
  double eigenvalue = 0.0;  ///< lowest of the orbital Hessian / 4, hartree
  int irrep = 0;            ///< of the rotation
  bool spin_breaking = false;
};

/// Lowest eigenvalue of the orbital Hessian over all irreps of rotations: of real rotations common to both
/// spins and, for a closed shell, of opposite rotations of the two spins (towards UHF). An unstable
/// eigenvalue is an upper bound, a stable one is only as good as `tolerance`.
/// @see R. Seeger and J. A. Pople, J. Chem. Phys. 66 (1977) 3045, doi:10.1063/1.434318
Instability lowest_eigenvalue(const StationaryPoint& point, const Repulsion& repulsion, int num_irreps);

}  // namespace cisolve::detail
