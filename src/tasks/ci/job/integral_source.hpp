// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/ci/job/degeneracy.hpp"

namespace cisolve {

/// Orbitals of a file or a molecule, before any of them are frozen.
struct IntegralSource {
  int num_orbitals = 0;
  int num_electrons = 0;
  int ms2 = 0;             ///< of all electrons
  bool ms2_given = false;  ///< false: the file names none
  int isym = 1;            ///< irrep that the file names, from 1; never used
  bool spinors = false;    ///< orbitals hold one electron each, and have no spin
  int places_per_orbital =
      1;                   ///< in a string: 2 of complex orbitals, whose determinants are those of spinors
  int noble_gas_core = 0;  ///< orbitals; of a molecule
  PointGroup point_group;
  std::vector<int> orbital_irreps;  ///< zero-based, of all orbitals
  DegenerateShells shells;          ///< of all orbitals
  std::vector<std::string> warnings;
  std::shared_ptr<MoleculeSolution> molecule;           ///< null for a file or a lattice
  std::shared_ptr<const LatticeSolution> lattice = {};  ///< of a real one; else null
  /// Occupation of all orbitals by the SCF's determinant, "22ud0", where that is not the first ones; else empty.
  std::string determinant;
  std::shared_ptr<const StartOrbitals> start;  ///< where orbitals are to be optimised; else null

  /// Integrals over the active orbitals; zero-based core and virtual orbitals. Once only.
  std::function<ActiveIntegrals(const std::vector<int>& core, const std::vector<int>& virtuals)> activate;
};

/// Zero-based orbitals to freeze at one end. @throws InputError  more than there are
std::vector<int> frozen_orbitals(const FrozenOrbitals& wanted, const IntegralSource& source, bool at_the_end);

/// Reads a file, or does the SCF of a molecule.
/// @throws as prepare_jobs
IntegralSource open_integrals(const CiConfig& config, const JobMonitor& monitor);

}  // namespace cisolve
