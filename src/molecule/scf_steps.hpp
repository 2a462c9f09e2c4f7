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

/// Occupied orbitals of each irrep. Unrestricted: `doubly` those of beta, `singly` what alpha has more, which may be
/// negative.
struct Occupation {
  std::vector<int> doubly, singly;

  /// Orbitals per irrep that hold an electron of a spin.
  std::vector<int> filled(bool beta) const {
    std::vector<int> count = doubly;
    for (std::size_t k = 0; k < count.size() && !beta; ++k) count[k] += singly[k];
    return count;
  }

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
  std::optional<Blocks> beta =
      {};  ///< of beta electrons where they have their own; `orbitals` are then alpha's
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

/// Orbitals of both spins, each set by itself, in one order: the k-th alpha orbital of an irrep is at the place of the
/// k-th beta orbital of it. First come those that both spins occupy, then alpha's alone, beta's alone, and the empty ones;
/// each as alpha's stood. So the first orbitals of each spin are the determinant, unless beta occupies one alone.
void pair_orbitals(ScfOrbitals& alpha, ScfOrbitals& beta);

/// A determinant in its own orbitals. Of an unrestricted one alpha's and then beta's are listed: an electron is in an
/// orbital of its own spin alone, and no rotation mixes the spins.
struct OrbitalPoint {
  Eigen::MatrixXd orbitals;  ///< [functions x orbitals]
  std::vector<int> irreps;
  std::vector<int> alpha, beta;           ///< 0 or 1 per orbital
  Eigen::MatrixXd fock_alpha, fock_beta;  ///< over the orbitals; unrestricted: zero outside those of the spin
  int num_alpha_orbitals = 0;  ///< unrestricted: the first so many are alpha's; 0: all are of both spins

  bool is_unrestricted() const { return num_alpha_orbitals > 0; }
};

struct Instability {
  double eigenvalue = 0.0;  ///< lowest of the orbital Hessian / 4 (unrestricted: / 2), hartree
  int irrep = 0;            ///< of the rotation
  bool spin_breaking = false;
};

/// Lowest eigenvalue of the orbital Hessian over all irreps of rotations: of real rotations common to both
/// spins and, for a closed shell, of opposite rotations of the two spins (towards UHF); of an unrestricted
/// determinant of rotations of each spin. An unstable
/// eigenvalue is an upper bound, a stable one is only as good as `tolerance`.
/// @see R. Seeger and J. A. Pople, J. Chem. Phys. 66 (1977) 3045, doi:10.1063/1.434318
Instability lowest_eigenvalue(const OrbitalPoint& point, const Repulsion& repulsion, int num_irreps);

/// Along which totally symmetric rotation the energy curves least.
struct InternalMode {
  double eigenvalue = 0.0;  ///< of the orbital Hessian / 4 (unrestricted: / 2), hartree
  Eigen::MatrixXd kappa;    ///< over the orbitals, of norm sqrt 2; empty: there is no such rotation
};

/// The lowest eigenvalue among real totally symmetric rotations common to both spins, or of an unrestricted determinant
/// of each, as lowest_eigenvalue finds it.
InternalMode lowest_internal_mode(const OrbitalPoint& point, const Repulsion& repulsion);

}  // namespace cisolve::detail
