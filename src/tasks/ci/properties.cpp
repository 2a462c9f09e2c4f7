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

MatrixXd columns_of(const CiJob& job, Spin spin, const std::vector<int>& orbitals) {
  const auto all = as_eigen(job.molecule->coefficients(spin));
  MatrixXd some(all.rows(), std::ssize(orbitals));
  for (std::size_t k = 0; k < orbitals.size(); ++k) some.col(static_cast<Index>(k)) = all.col(orbitals[k]);
  return some;
}

/// Trace of an operator with the density of both spins; `of` gives the operator over a spin's orbitals.
template <class Spins, class Of>
double expectation(const SpinDensity& density, const Spins& spins, const Of& of) {
  return as_eigen(density.alpha).cwiseProduct(of(spins[0])).sum() +
         as_eigen(density.beta).cwiseProduct(of(spins[1])).sum();
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

MatrixXd active_coefficients(const CiJob& job, Spin spin) {
  return columns_of(job, spin, job.active->active_orbitals);
}

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
    : molecule_(molecule) {
  // The frame's origin is the centre of nuclear charge: the nuclei's own dipole vanishes.
  const auto position = position_integrals(molecule.basis, {});
  const auto moments = second_moment_integrals(molecule.basis, {});
  core_density_ = MatrixXd::Zero(molecule.basis.num_functions, molecule.basis.num_functions);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    OfSpin& of = spins_[static_cast<std::size_t>(spin)];
    of.active = active_coefficients(job, spin);
    for (std::size_t x = 0; x < position.size(); ++x)
      of.position[x] = of.active.transpose() * as_eigen(position[x]) * of.active;
    for (std::size_t k = 0; k < moments.size(); ++k)
      of.second_moment[k] = of.active.transpose() * as_eigen(moments[k]) * of.active;
    const MatrixXd core = columns_of(job, spin, job.molecule->core);
    core_density_ += core * core.transpose();
  }
  for (std::size_t x = 0; x < position.size(); ++x)
    core_position_[x] = core_density_.cwiseProduct(as_eigen(position[x])).sum();
  other_moments_ = nuclear_moments(molecule.frame.geometry);
  for (std::size_t k = 0; k < moments.size(); ++k)
    other_moments_[k] -= core_density_.cwiseProduct(as_eigen(moments[k])).sum();
}

void MoleculeProperties::add(const SpinDensity& density, Root& root) const {
  root.dipole.clear();
  for (std::size_t x = 0; x < core_position_.size(); ++x) {
    root.dipole.push_back(-expectation(density, spins_, [x](const OfSpin& of) -> const MatrixXd& {
      return of.position[x];
    }) - core_position_[x]);
  }
  root.quadrupole.clear();
  for (std::size_t k = 0; k < other_moments_.size(); ++k) {
    root.quadrupole.push_back(other_moments_[k] -
                              expectation(density, spins_, [k](const OfSpin& of) -> const MatrixXd& {
                                return of.second_moment[k];
                              }));
  }
  const auto over_functions = [&](const Matrix& active, std::size_t spin) {
    return MatrixXd(spins_[spin].active * as_eigen(active) * spins_[spin].active.transpose());
  };
  const MatrixXd alpha = over_functions(density.alpha, 0), beta = over_functions(density.beta, 1);
  const Geometry& geometry = molecule_.frame.geometry;
  root.mulliken_charges =
      mulliken_charges(molecule_.basis, geometry, as_matrix(core_density_ + alpha + beta));
  root.spin_populations = mulliken_populations(molecule_.basis, geometry, as_matrix(alpha - beta));
}

std::array<double, 3> MoleculeProperties::transition_dipole(const SpinDensity& density) const {
  std::array<double, 3> dipole;
  for (std::size_t x = 0; x < dipole.size(); ++x)
    dipole[x] =
        -expectation(density, spins_, [x](const OfSpin& of) -> const MatrixXd& { return of.position[x]; });
  return dipole;
}

}  // namespace cisolve
