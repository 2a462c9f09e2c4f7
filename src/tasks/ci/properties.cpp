// SPDX-License-Identifier: MIT
#include "tasks/ci/properties.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <limits>

#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/molecule/one_electron.hpp"
#include "core/symmetric_eigenpairs.hpp"

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

std::optional<CiResult::Properties> describe_properties(const CiConfig& config, const CiJob& job,
                                                        const Basis& basis, const CiResult::States& states) {
  const auto& energies = states.energy;
  if (!job.molecule || !config.properties || energies.empty()) return std::nullopt;
  const MoleculeConfig& molecule = *config.molecule;
  const int roots = static_cast<int>(energies.size());
  const DensityMatrices densities = basis.density_matrices(states.vectors, roots);
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

  CiResult::Properties out;
  const auto n = static_cast<std::size_t>(roots);
  out.transition_dipole.assign(n * n * 3, 0.0);
  out.oscillator_strength.assign(n * n, 0.0);
  for (int l = 0; l < roots; ++l) {
    for (int k = 0; k <= l; ++k) {
      double square = 0.0;
      for (std::size_t x = 0; x < 3; ++x) {
        const double electrons =
            as_eigen(densities(k, l)).cwiseProduct(active[x]).sum() + (k == l ? core[x] : 0.0);
        const auto a = static_cast<std::size_t>(k), b = static_cast<std::size_t>(l);
        out.transition_dipole[(a * n + b) * 3 + x] = out.transition_dipole[(b * n + a) * 3 + x] = -electrons;
        if (k == l) out.dipole.push_back(-electrons);
        square += electrons * electrons;
      }
      const auto a = static_cast<std::size_t>(k), b = static_cast<std::size_t>(l);
      const double strength = 2.0 / 3.0 * (energies[b] - energies[a]) * square;
      out.oscillator_strength[a * n + b] = strength;
      out.oscillator_strength[b * n + a] = -strength;
    }
    const auto numbers = occupations(densities(l, l));
    out.natural_occupations.insert(out.natural_occupations.end(), numbers.begin(), numbers.end());
    const MatrixXd total =
        core_density + orbitals.active * as_eigen(densities(l, l)) * orbitals.active.transpose();
    Matrix density(static_cast<int>(total.rows()), static_cast<int>(total.cols()));
    std::copy_n(total.data(), total.size(), density.data());
    const auto charges = mulliken_charges(molecule.basis, molecule.frame.geometry, density);
    out.mulliken_charges.insert(out.mulliken_charges.end(), charges.begin(), charges.end());
  }
  return out;
}

std::optional<CiResult::Properties> merged_properties(const std::vector<CiResult::Sector>& sectors,
                                                      const std::vector<RootInSector>& order) {
  const std::size_t n = order.size();
  const auto append = [](std::vector<double>& all, const std::vector<double>& of_sector, std::size_t root,
                         std::size_t roots) {
    const std::size_t width = of_sector.size() / roots;
    const auto first = of_sector.begin() + static_cast<std::ptrdiff_t>(root * width);
    all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(width));
  };
  CiResult::Properties all;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  all.transition_dipole.assign(n * n * 3, none);
  all.oscillator_strength.assign(n * n, none);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& from = sectors[order[i].sector].properties;
    if (!from) return std::nullopt;
    const std::size_t roots = from->dipole.size() / 3;
    append(all.dipole, from->dipole, order[i].root, roots);
    append(all.natural_occupations, from->natural_occupations, order[i].root, roots);
    append(all.mulliken_charges, from->mulliken_charges, order[i].root, roots);
    for (std::size_t j = 0; j < n; ++j) {
      if (order[j].sector != order[i].sector) continue;
      const std::size_t there = order[i].root * roots + order[j].root;
      all.oscillator_strength[i * n + j] = from->oscillator_strength[there];
      std::copy_n(from->transition_dipole.begin() + static_cast<std::ptrdiff_t>(3 * there), 3,
                  all.transition_dipole.begin() + static_cast<std::ptrdiff_t>(3 * (i * n + j)));
    }
  }
  if (n == 0) return std::nullopt;
  return all;
}

}  // namespace cisolve
