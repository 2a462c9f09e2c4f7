// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/molecule/scf.hpp"
#include "molecule/orthonormal_basis.hpp"

// What run_scf is made of: occupation, guesses, sorting, stability; one source each.

namespace cisolve::detail {

/// Occupied orbitals of each irrep.
struct Occupation {
  std::vector<int> doubly, singly;

  bool operator==(const Occupation&) const = default;
};

/// The occupation that the input gives.
/// @param sizes  orbitals per irrep
/// @throws InputError  naming molecule.doubly_occupied or molecule.singly_occupied
Occupation given_occupation(const ScfConfig& config, const SymmetryFrame& frame,
                            const std::vector<int>& sizes);

/// Fills orbitals by energy: the lowest doubly, the next singly; degenerate ones in the order of irreps.
/// @param energies  [irrep][orbital], ascending in each irrep
/// @param competing if not null: gets the irreps of degenerate orbitals that the limit cuts, the one filled first
Occupation lowest_occupation(const std::vector<std::vector<double>>& energies, int num_doubly, int num_singly,
                             double degeneracy, std::optional<std::pair<int, int>>* competing);

/// Superposition of atomic densities: each neutral atom by a spherically averaged Hartree-Fock calculation in
/// its own functions. Total density (alpha + beta), [functions x functions].
/// @see J. H. Van Lenthe et al., J. Comput. Chem. 27 (2006) 926, doi:10.1002/jcc.20393
Matrix superposed_atomic_density(const Geometry& geometry, const GaussianBasis& basis);

/// Occupied orbitals to start from, over an orthonormal basis.
struct OccupiedOrbitals {
  Blocks
      orbitals;  ///< orthonormal; the doubly occupied of an irrep first, then the singly occupied; no others
  Occupation occupation;
};

/// The occupied orbitals of a restricted calculation at another geometry: their coefficients are kept, as if the
/// functions moved with the atoms, and orthonormalised anew (doi:10.1063/1.1747632).
/// @param earlier  over functions of the same number and order
/// @param overlap  of the functions at this geometry
/// @returns none if they are over other functions, have other irreps, or are dependent here
std::optional<OccupiedOrbitals> carry_occupied(const ScfOrbitals& earlier, const OrthonormalBasis& basis,
                                               const Matrix& overlap);

/// Canonical orbitals: the Fock matrix is diagonalised among the orbitals of each irrep that have the same
/// occupation, and they are sorted by occupation, then energy.
/// @param orbitals  over the orthonormal basis; the doubly occupied first, then the singly occupied
/// @param doubly, singly  orbitals per irrep
ScfOrbitals sorted_orbitals(const OrthonormalBasis& basis, const Blocks& fock, const Blocks& orbitals,
                            const std::vector<int>& doubly, const std::vector<int>& singly);

/// A restricted determinant in its own orbitals.
struct OrbitalPoint {
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
Instability lowest_eigenvalue(const OrbitalPoint& point, const Repulsion& repulsion, int num_irreps);

/// Along which totally symmetric rotation the energy curves least.
struct InternalMode {
  double eigenvalue = 0.0;  ///< of the orbital Hessian / 4, hartree
  Eigen::MatrixXd kappa;    ///< over the orbitals, of norm sqrt 2; empty: there is no such rotation
};

/// The lowest eigenvalue among real totally symmetric rotations common to both spins, as lowest_eigenvalue finds it.
InternalMode lowest_internal_mode(const OrbitalPoint& point, const Repulsion& repulsion);

}  // namespace cisolve::detail
