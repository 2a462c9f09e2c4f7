// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <array>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/ci/root.hpp"

namespace cisolve {

/// Gives a root what `occupation_columns` lists.
/// @param spins  where the spins have orbitals of their own, occupations are there only if both span one space
void add_occupations(const SpinDensity& density, const OrbitalSpins& spins, Root& root);

/// What densities over the active orbitals of a molecule say of its roots; `property_columns` lists it.
class MoleculeProperties {
public:
  /// Computes the integrals.
  MoleculeProperties(const MoleculeConfig& molecule, const CiJob& job);

  /// Dipole, quadrupole, charges and spin populations of a root.
  void add(const SpinDensity& density, Root& root) const;

  /// Between two states, e bohr.
  std::array<double, 3> transition_dipole(const SpinDensity& density) const;

private:
  /// Over the active orbitals of a spin.
  struct OfSpin {
    Eigen::MatrixXd active;  ///< coefficients [functions x orbitals]
    std::array<Eigen::MatrixXd, 3> position;
    std::array<Eigen::MatrixXd, 6> second_moment;
  };

  const MoleculeConfig& molecule_;
  std::array<OfSpin, 2> spins_;   ///< alpha, beta
  Eigen::MatrixXd core_density_;  ///< spin-summed, [functions^2]
  std::array<double, 3> core_position_ = {};
  std::array<double, 6> other_moments_ = {};  ///< of the nuclei, less those of the core electrons
};

/// Coefficients of the active orbitals of a molecule, [functions x orbitals].
Eigen::MatrixXd active_coefficients(const CiJob& job, Spin spin = Spin::alpha);

}  // namespace cisolve
