// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cisolve/molecule/scf.hpp"
#include "molecule/gaussian_engine.hpp"
#include "molecule/orthonormal_basis.hpp"
#include "molecule/scf_steps.hpp"

// One SCF from one start. run_scf makes several, and takes the lowest.

namespace cisolve::detail {

/// What all runs on a molecule share.
struct ScfSetting {
  /// @throws InputError  electrons that do not fit the basis
  ScfSetting(const MolecularBasis& molecule, const ScfConfig& config);

  /// The same molecule and electrons, asked otherwise.
  ScfSetting(const ScfSetting& other, const ScfConfig& asked)
      : molecule(other.molecule), config(asked), one_electron(other.one_electron), basis(other.basis),
        core(other.core), repulsion_energy(other.repulsion_energy), sizes(other.sizes) {}

  bool closed_shell() const { return !config.unrestricted && config.num_alpha == config.num_beta; }

  MolecularBasis molecule;
  const ScfConfig& config;
  OneElectronMatrices one_electron;
  OrthonormalBasis basis;
  Blocks core;
  double repulsion_energy;  ///< of the nuclei, hartree
  std::vector<int> sizes;   ///< orbitals per irrep
};

/// Where a run begins.
struct ScfStart {
  std::optional<OccupiedOrbitals> orbitals = {};  ///< none: superposed atomic densities
  std::optional<Occupation> occupation = {};      ///< kept; none: the run chooses
  bool second_order = false;  ///< downhill from the orbitals, to the minimum nearest to them
  /// Hartree: a run whose energy has settled above this is left, not converged.
  double limit = std::numeric_limits<double>::infinity();
};

/// Where a run ended: matrices are over the orthonormal basis, a block per irrep.
struct ScfState {
  bool converged = false;
  double energy = 0.0;
  std::vector<ScfIteration> history;
  Occupation occupation;
  std::optional<std::pair<int, int>>
      competing;       ///< zero-based irreps of degenerate orbitals, the one filled first
  Blocks orbitals[2];  ///< of each spin; the first alone unless unrestricted; occupied ones first
  Blocks density[2];   ///< idempotent
  Blocks fock[2];
};

/// Iterates by DIIS; where that does not converge in half of the iterations allowed, by second-order steps.
/// @throws Interrupted  a stop was requested
ScfState converge(const ScfSetting& setting, const ScfStart& start, const ScfObserver& observer,
                  const std::stop_token& stop);

/// Matrix whose eigenvectors the orbitals of a state are. Restricted open shells: Roothaan's effective matrix, with
/// the mean Fock matrix between orbitals of the same occupation, beta's between doubly and singly occupied, alpha's
/// between singly occupied and empty.
/// @param density  of both spins; of a closed shell not needed
Blocks effective_fock(const ScfSetting& setting, const Blocks (&fock)[2], const Blocks (&density)[2]);

}  // namespace cisolve::detail
