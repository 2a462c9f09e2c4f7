// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/tasks/ci_config.hpp"
#include "cisolve/tasks/run_control.hpp"

namespace cisolve {

/// What the SCF of a molecule found.
struct MoleculeSolution {
  ScfResult scf;
  std::vector<ScfIteration> history;
  std::vector<int> core;  ///< zero-based frozen core orbitals
};

/// Where a job says what it does; both may be null.
struct JobMonitor {
  const RunControl* control = nullptr;  ///< stop and progress
  std::ostream* report = nullptr;       ///< the molecule and its SCF iterations, as they come
};

/// A CI calculation after its integrals were read: electrons, symmetry and references are settled and
/// everything that the input can have got wrong has been checked.
struct CiJob {
  ActiveIntegrals active;
  std::uint64_t integrals_hash = 0;  ///< of the active integrals
  PointGroup point_group;
  int num_electrons = 0;  ///< active
  int ms2 = 0;
  int num_frozen_core = 0;
  int num_frozen_virtual = 0;
  SpaceSelection<string_words> selection;
  double reference_energy = 0.0;  ///< diagonal element of the first reference, hartree
  bool spin_complete = true;      ///< every configuration with all its spin arrangements
  std::vector<std::string> warnings;
  std::shared_ptr<const MoleculeSolution> molecule;  ///< null where the integrals come from a file

  int num_orbitals() const { return active.integrals.num_orbitals; }
};

/// Reads the integrals, or makes them by an SCF, and settles the calculation.
/// @throws InputError   file absent or refused; electrons, spin, irrep, frozen orbitals or references
///                      that contradict each other or the file
/// @throws SystemError  the file cannot be read
/// @throws Interrupted  a stop was requested in the SCF
CiJob prepare_job(const CiConfig& config, const JobMonitor& monitor = {});

/// Generates the space of a job.
/// @param memory  bytes that may be used
/// @throws InputError     the space holds no determinant
/// @throws ResourceError  it would not fit, said before anything is generated
std::unique_ptr<Space<string_words>> build_space(const CiJob& job, std::int64_t memory);

/// Bytes that a run may use: the input's, or 80% of what is free.
std::int64_t memory_limit(const CiConfig& config);

}  // namespace cisolve
