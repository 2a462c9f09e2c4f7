// SPDX-License-Identifier: MIT
#include "tasks/ci/properties.hpp"

#include <algorithm>
#include <iterator>

#include "cisolve/molecule/one_electron.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Eigen::Map<const MatrixXd> as_eigen(const Matrix& m) { return {m.data(), m.rows(), m.columns()}; }

Matrix as_matrix(const MatrixXd& m) {
  Matrix copy(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
  std::copy_n(m.data(), m.size(), copy.data());
  return copy;
}

MatrixXd columns_of(const CiJob& job, const std::vector<int>& orbitals) {
  const auto all = as_eigen(job.molecule->scf.orbitals.coefficients);
  MatrixXd some(all.rows(), std::ssize(orbitals));
  for (std::size_t k = 0; k < orbitals.size(); ++k) some.col(static_cast<Index>(k)) = all.col(orbitals[k]);
  return some;
}

/// Sum of the charges of nuclei times two of their coordinates.
std::array<double, 6> nuclear_moments(const Geometry& geometry) {
  std::array<double, 6> moments = {};
  for (const Atom& atom : geometry.atoms) {
    std::size_t at = 0;
    for (std::size_t x = 0; x < 3; ++x) {
      for (std::size_t y = x; y < 3; ++y) moments[at++] += atom.charge * atom.position[x] * atom.position[y];
    }
  }
  return moments;
}

}  // namespace

MatrixXd active_coefficients(const CiJob& job) { return columns_of(job, job.active->active_orbitals); }

void add_occupations(const SpinDensity& density, const OrbitalSpins& spins, Root& root) {
  const MatrixXd alpha = as_eigen(density.alpha);
  MatrixXd beta = as_eigen(density.beta);
  if (spins.unrestricted) {
    if (spins.overlap == nullptr) return;
    const auto u = as_eigen(spins.overlap->active);
    constexpr double same_space = 1e-8;  // of 1
    if ((u * u.transpose() - MatrixXd::Identity(u.rows(), u.cols())).cwiseAbs().maxCoeff() > same_space)
      return;
    beta = (u * beta * u.transpose()).eval();
  }
  const Eigen::VectorXd values = symmetric_eigenvalues(alpha + beta);
  root.natural_occupations = {std::reverse_iterator(values.end()), std::reverse_iterator(values.begin())};
  root.unpaired_electrons = values.cwiseMin((2.0 - values.array()).matrix()).sum();
  root.odd_electrons = (values.array() * (2.0 - values.array())).sum();
}

MoleculeProperties::MoleculeProperties(const MoleculeConfig& molecule, const CiJob& job)
    : molecule_(molecule), active_(active_coefficients(job)) {
  const MatrixXd core = columns_of(job, job.molecule->core);
  core_density_ = 2.0 * core * core.transpose();
  // The frame's origin is the centre of nuclear charge: the nuclei's own dipole vanishes.
  const auto position = position_integrals(molecule.basis, {});
  for (std::size_t x = 0; x < position.size(); ++x) {
    position_[x] = active_.transpose() * as_eigen(position[x]) * active_;
    core_position_[x] = core_density_.cwiseProduct(as_eigen(position[x])).sum();
  }
  other_moments_ = nuclear_moments(molecule.frame.geometry);
  const auto moments = second_moment_integrals(molecule.basis, {});
  for (std::size_t k = 0; k < moments.size(); ++k) {
    second_moment_[k] = active_.transpose() * as_eigen(moments[k]) * active_;
    other_moments_[k] -= core_density_.cwiseProduct(as_eigen(moments[k])).sum();
  }
}

void MoleculeProperties::add(const SpinDensity& density, Root& root) const {
  const MatrixXd total = as_eigen(density.alpha) + as_eigen(density.beta);
  root.dipole.clear();
  for (std::size_t x = 0; x < position_.size(); ++x)
    root.dipole.push_back(-total.cwiseProduct(position_[x]).sum() - core_position_[x]);
  root.quadrupole.clear();
  for (std::size_t k = 0; k < second_moment_.size(); ++k)
    root.quadrupole.push_back(other_moments_[k] - total.cwiseProduct(second_moment_[k]).sum());
  const Geometry& geometry = molecule_.frame.geometry;
  root.mulliken_charges = mulliken_charges(molecule_.basis, geometry,
                                           as_matrix(core_density_ + active_ * total * active_.transpose()));
  const MatrixXd spin = as_eigen(density.alpha) - as_eigen(density.beta);
  root.spin_populations =
      mulliken_populations(molecule_.basis, geometry, as_matrix(active_ * spin * active_.transpose()));
}

std::array<double, 3> MoleculeProperties::transition_dipole(const SpinDensity& density) const {
  const MatrixXd total = as_eigen(density.alpha) + as_eigen(density.beta);
  std::array<double, 3> dipole;
  for (std::size_t x = 0; x < dipole.size(); ++x) dipole[x] = -total.cwiseProduct(position_[x]).sum();
  return dipole;
}

}  // namespace cisolve
