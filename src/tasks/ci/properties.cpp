// SPDX-License-Identifier: MIT
#include <Eigen/Core>
#include <algorithm>
#include <array>

#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "tasks/ci/found_roots.hpp"

namespace cisolve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Eigen::Map<const MatrixXd> as_eigen(const Matrix& m) { return {m.data(), m.rows(), m.columns()}; }

/// Columns of the SCF orbitals: of the frozen core, and active.
struct OrbitalSets {
  MatrixXd core, active;
};

OrbitalSets orbital_sets(const CiJob& job) {
  const auto all = as_eigen(job.molecule->scf.orbitals.coefficients);
  const auto& active = job.active->active_orbitals;
  OrbitalSets sets{MatrixXd(all.rows(), static_cast<Index>(job.molecule->core.size())),
                   MatrixXd(all.rows(), static_cast<Index>(active.size()))};
  for (std::size_t k = 0; k < active.size(); ++k) sets.active.col(static_cast<Index>(k)) = all.col(active[k]);
  for (std::size_t k = 0; k < job.molecule->core.size(); ++k) {
    sets.core.col(static_cast<Index>(k)) = all.col(job.molecule->core[k]);
  }
  return sets;
}

/// Eigenvalues of a symmetric matrix, descending.
std::vector<double> occupations(const Matrix& density) {
  const Eigen::VectorXd values = symmetric_eigenvalues(as_eigen(density));
  return {std::reverse_iterator(values.end()), std::reverse_iterator(values.begin())};
}

}  // namespace

void add_properties(const CiConfig& config, const CiJob& job, const Basis& basis, CiResult::Sector& sector) {
  if (!job.molecule || !config.properties || sector.roots.empty()) return;
  const MoleculeConfig& molecule = *config.molecule;
  const std::size_t n = sector.roots.size();
  Array<double> buffer;
  const DensityMatrices densities =
      basis.density_matrices(sector.vectors->view(0, static_cast<int>(n), buffer), static_cast<int>(n));
  const OrbitalSets orbitals = orbital_sets(job);
  const MatrixXd core_density = 2.0 * orbitals.core * orbitals.core.transpose();

  // The frame's origin is the centre of nuclear charge: the nuclei's own dipole vanishes.
  const auto position = position_integrals(molecule.basis, {});
  std::array<MatrixXd, 3> active;
  std::array<double, 3> core = {};
  for (std::size_t x = 0; x < 3; ++x) {
    active[x] = orbitals.active.transpose() * as_eigen(position[x]) * orbitals.active;
    core[x] = core_density.cwiseProduct(as_eigen(position[x])).sum();
  }

  for (Root& root : sector.roots) {
    root.transition_dipole.assign(3 * n, 0.0);
    root.oscillator_strength.assign(n, 0.0);
  }
  for (std::size_t l = 0; l < n; ++l) {
    Root& upper = sector.roots[l];
    for (std::size_t k = 0; k <= l; ++k) {
      Root& lower = sector.roots[k];
      const auto density = as_eigen(densities(static_cast<int>(k), static_cast<int>(l)));
      double square = 0.0;
      for (std::size_t x = 0; x < 3; ++x) {
        const double electrons = density.cwiseProduct(active[x]).sum() + (k == l ? core[x] : 0.0);
        lower.transition_dipole[3 * l + x] = upper.transition_dipole[3 * k + x] = -electrons;
        if (k == l) upper.dipole.push_back(-electrons);
        square += electrons * electrons;
      }
      const double strength = 2.0 / 3.0 * (upper.energy - lower.energy) * square;
      lower.oscillator_strength[l] = strength;
      upper.oscillator_strength[k] = -strength;
    }
    const Matrix& own = densities(static_cast<int>(l), static_cast<int>(l));
    upper.natural_occupations = occupations(own);
    const MatrixXd total = core_density + orbitals.active * as_eigen(own) * orbitals.active.transpose();
    Matrix density(static_cast<int>(total.rows()), static_cast<int>(total.cols()));
    std::copy_n(total.data(), total.size(), density.data());
    upper.mulliken_charges = mulliken_charges(molecule.basis, molecule.frame.geometry, density);
  }
}

}  // namespace cisolve
