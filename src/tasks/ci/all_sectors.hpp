// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/molecule/orbital_optimisation.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// Vectors to start a sector from.
struct StartVectors {
  std::vector<double> vectors;  ///< [dimension x k], column-major; may be empty
  std::string description;      ///< for the report
};

/// Makes them, once orbitals and space of a sector are known.
using StartVectorSource = std::function<StartVectors(const CiResult& result, const CiResult::Sector& sector,
                                                     const Basis& basis, const CiJob& job)>;

/// Determinants that the list of a selected CI begins with, in place of its space.
struct StartList {
  std::shared_ptr<const CheckpointSelection> list;  ///< null: there are none
  std::vector<double> vectors;                      ///< [determinants x any]
  std::string description;                          ///< for the report
};

/// Makes it, once the orbitals of a sector are known.
using StartListSource =
    std::function<StartList(const CiResult& result, const CiResult::Sector& sector, const CiJob& job)>;

/// Looks at the roots of a sector that is solved, while its basis is there.
using SectorObserver = std::function<void(const CiResult& result, CiResult::Sector& sector,
                                          const Basis& basis, const CiJob& job)>;

/// Orbitals that another calculation optimised.
struct EarlierOrbitals {
  static constexpr int with_holes = 1, with_particles = 2;

  const MoleculeConfig* molecule = nullptr;  ///< its geometry and basis
  ClassifiedOrbitals orbitals;               ///< subspaces: the limits of a RAS that hold for each
  std::string origin;                        ///< for messages: "point 3"
};

/// What a calculation begins with.
struct CiRunStart {
  std::string name = {};                      ///< of this one among several; checkpoints carry it
  std::optional<Checkpoint> checkpoint = {};  ///< to go on from
  std::string checkpoint_source = {};         ///< for messages: "checkpoint 'h2o.chk.h5'"
  bool newest_was_read = false;               ///< it is the newest of this run's checkpoints
  StartVectorSource vectors = {};             ///< null: solver.guess
  StartListSource lists = {};                 ///< of a selected CI; null: its space
  std::shared_ptr<const EarlierOrbitals> orbitals =
      {};                      ///< where orbitals are optimised; null: those of the SCF
  SectorObserver solved = {};  ///< may be null; adds to what is known of the roots
};

/// A result with what is known beforehand: program, time, input.
CiResult begin_result(const CiConfig& config);

/// A CI calculation from its input to its roots, all sectors; writes checkpoints. Prints the report up to the
/// table of roots. Vectors are kept in the result whatever output.vectors says.
/// @returns the worst that a sector ended with; interrupted: a checkpoint was written, the result is not complete
/// @throws as run_ci
SolverStatus solve_ci(const RunContext& context, CiRunStart start);

}  // namespace cisolve
