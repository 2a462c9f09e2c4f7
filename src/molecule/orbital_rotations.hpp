// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "molecule/scf_steps.hpp"

// Energy to second order in rotations of orbitals: stability analysis and second-order SCF are made from this.

namespace cisolve::detail {

/// Rotations between orbitals of different occupation whose product is one irrep. Gradient and Hessian are those
/// of the energy, divided by 4; of an unrestricted determinant, whose orbitals hold one electron, by 2, so that the
/// eigenvalues of a closed shell are the same either way.
class RotationBlock {
public:
  /// @param point  must outlive the block
  RotationBlock(const OrbitalPoint& point, int irrep, bool opposite_spins);

  Eigen::Index size() const { return static_cast<Eigen::Index>(pairs_.size()); }
  const Eigen::VectorXd& diagonal() const { return diagonal_; }
  int irrep() const { return irrep_; }
  bool opposite_spins() const { return sign_ < 0.0; }

  Eigen::VectorXd gradient() const;

  /// The antisymmetric matrix of rotations x over all orbitals.
  Eigen::MatrixXd kappa(const Eigen::VectorXd& x) const;

  /// First-order densities of both spins over the basis functions; beta's is minus alpha's for opposite spins.
  std::pair<Eigen::MatrixXd, Eigen::MatrixXd> densities(const Eigen::VectorXd& x) const;

  /// Hessian times x, from the Fock matrices over basis functions that the densities of x make.
  Eigen::VectorXd product(const Eigen::VectorXd& x, const Eigen::MatrixXd& response_alpha,
                          const Eigen::MatrixXd& response_beta) const;

private:
  double alpha_weight(Eigen::Index p, Eigen::Index q) const { return point_.alpha[p] - point_.alpha[q]; }
  double beta_weight(Eigen::Index p, Eigen::Index q) const { return point_.beta[p] - point_.beta[q]; }

  const OrbitalPoint& point_;
  int irrep_;
  double sign_;                                               ///< of beta's rotation relative to alpha's
  double scale_;                                              ///< of what both spins give to an element
  std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs_;  ///< (more occupied, less occupied)
  Eigen::VectorXd diagonal_;
};

/// Hessian times one vector of each block, in one pass over the integrals.
std::vector<Eigen::VectorXd> hessian_products(
    const OrbitalPoint& point, const Repulsion& repulsion,
    const std::vector<std::pair<const RotationBlock*, const Eigen::VectorXd*>>& vectors);

/// Orbitals turned by exp(kappa).
Eigen::MatrixXd rotated(const Eigen::MatrixXd& orbitals, const Eigen::MatrixXd& kappa);

/// The step of an augmented-Hessian iteration among totally symmetric rotations.
/// @param block   of irrep 0
/// @param radius  largest norm of the step
/// @see H. J. Aa. Jensen, P. Jorgensen, J. Chem. Phys. 80 (1984) 1204, doi:10.1063/1.446797
Eigen::VectorXd second_order_step(const OrbitalPoint& point, const RotationBlock& block,
                                  const Repulsion& repulsion, double radius);

}  // namespace cisolve::detail
