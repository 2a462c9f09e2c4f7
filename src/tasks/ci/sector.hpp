// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/run/run_control.hpp"
#include "tasks/ci/set_up.hpp"

namespace cisolve {

/// What a sector starts from and what its checkpoints hold besides its own vectors.
struct SectorContext {
  int number = 1;                              ///< from 1, in the order of the checkpoint
  int count = 1;                               ///< sectors in all
  std::string names;                           ///< of all sectors, in that order: CheckpointHeader::sectors
  std::span<const CiResult::Sector> finished;  ///< before this one
  const Checkpoint* checkpoint = nullptr;      ///< of this sector, with vectors; nullptr: a fresh start
  std::vector<double> guess = {};              ///< [dimension x k], if there is no checkpoint; may be empty
  std::string guess_text = {};   ///< what the guess is, or why there is none, for the report; may be empty
  bool add_model_space = false;  ///< to the guess, so that no lower state is missed
};

/// Builds the matrix of a sector, solves, labels the roots; fills `sector`, and warnings and times of
/// `result`. The vectors are kept in `sector` whatever output.vectors says.
SolverStatus solve_sector(const CiConfig& config, const SectorContext& context, const RunControl& control,
                          std::ostream& report, CiResult& result, CiResult::Sector& sector,
                          CiProblem& problem);

/// The header of a checkpoint of this run.
CheckpointHeader checkpoint_header(const CiConfig& config, const CiResult& result,
                                   const SectorContext& context);

}  // namespace cisolve
