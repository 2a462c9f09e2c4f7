// SPDX-License-Identifier: MIT
#include "molecule/scf_orbitals.hpp"

#include <Eigen/Core>
#include <utility>

#include "molecule/eigen_views.hpp"
#include "molecule/orbital_rotations.hpp"

namespace cisolve::detail {

using Eigen::MatrixXd;

namespace {

/// Fock matrix over orbitals, by way of the orthonormal basis.
MatrixXd fock_over(const ScfSetting& setting, const Blocks& fock, const ScfOrbitals& orbitals) {
  const MatrixXd metric = as_eigen(setting.one_electron.overlap) * as_eigen(orbitals.coefficients);
  MatrixXd over = MatrixXd::Zero(metric.cols(), metric.cols());
  for (int irrep = 0; irrep < setting.basis.num_irreps(); ++irrep) {
    const MatrixXd t = setting.basis.vectors(irrep).transpose() * metric;
    over += t.transpose() * fock[irrep] * t;
  }
  return over;
}

}  // namespace

ScfOrbitals canonical_orbitals(const ScfSetting& setting, const ScfState& state) {
  return sorted_orbitals(setting.basis, effective_fock(setting, state.fock, state.density), state.orbitals[0],
                         state.occupation.doubly, state.occupation.singly);
}

std::vector<ScfOrbitals> canonical_sets(const ScfSetting& setting, const ScfState& state) {
  if (!setting.config.unrestricted) return {canonical_orbitals(setting, state)};
  const std::vector<int> none(setting.sizes.size(), 0);
  std::vector<ScfOrbitals> sets;
  for (std::size_t spin = 0; spin < 2; ++spin) {
    sets.push_back(sorted_orbitals(setting.basis, state.fock[spin], state.orbitals[spin], none,
                                   state.occupation.filled(spin == 1)));
  }
  return sets;
}

OrbitalPoint orbital_point(const ScfSetting& setting, const ScfState& state,
                           const std::vector<ScfOrbitals>& canonical) {
  if (canonical.size() == 1) return orbital_point(setting, state, canonical.front());
  const ScfOrbitals &alpha = canonical[0], &beta = canonical[1];
  const Eigen::Index n = alpha.coefficients.columns();
  OrbitalPoint point;
  point.num_alpha_orbitals = static_cast<int>(n);
  point.orbitals.resize(alpha.coefficients.rows(), 2 * n);
  point.orbitals << as_eigen(alpha.coefficients), as_eigen(beta.coefficients);
  point.irreps = alpha.irreps;
  point.irreps.insert(point.irreps.end(), beta.irreps.begin(), beta.irreps.end());
  const std::vector<int> none(as_size(n), 0);
  point.alpha = alpha.occupations;
  point.alpha.insert(point.alpha.end(), none.begin(), none.end());
  point.beta = none;
  point.beta.insert(point.beta.end(), beta.occupations.begin(), beta.occupations.end());
  point.fock_alpha = point.fock_beta = MatrixXd::Zero(2 * n, 2 * n);
  point.fock_alpha.topLeftCorner(n, n) = fock_over(setting, state.fock[0], alpha);
  point.fock_beta.bottomRightCorner(n, n) = fock_over(setting, state.fock[1], beta);
  return point;
}

OccupiedOrbitals turned_orbitals(const ScfSetting& setting, const std::vector<ScfOrbitals>& canonical,
                                 const MatrixXd& kappa, const Occupation& occupation) {
  OccupiedOrbitals start;
  start.occupation = occupation;
  Eigen::Index first = 0;
  for (const ScfOrbitals& set : canonical) {
    const Eigen::Index n = set.coefficients.columns();
    ScfOrbitals turned = set;
    turned.coefficients = to_matrix(rotated(as_eigen(set.coefficients), kappa.block(first, first, n, n)));
    auto carried = carry_occupied(turned, setting.basis, setting.one_electron.overlap);
    if (first == 0) {
      start.orbitals = std::move(carried->orbitals);
    } else {
      start.beta = std::move(carried->orbitals);
    }
    first += n;
  }
  return start;
}

OrbitalPoint orbital_point(const ScfSetting& setting, const ScfState& state, const ScfOrbitals& canonical) {
  OrbitalPoint point;
  point.orbitals = as_eigen(canonical.coefficients);
  point.irreps = canonical.irreps;
  for (const int occupation : canonical.occupations) {
    point.alpha.push_back(occupation > 0 ? 1 : 0);
    point.beta.push_back(occupation > 1 ? 1 : 0);
  }
  point.fock_alpha = fock_over(setting, state.fock[0], canonical);
  point.fock_beta = fock_over(setting, state.fock[1], canonical);
  return point;
}

}  // namespace cisolve::detail
