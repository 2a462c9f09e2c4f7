// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/files/checkpoint_generations.hpp"

namespace cisolve {

/// What a sector starts from and what its checkpoints hold besides its own vectors.
struct SectorContext {
  int number = 1;                              ///< from 1, in the order of the checkpoint
  int count = 1;                               ///< sectors in all
  std::string names;                           ///< of all sectors, in that order: CheckpointHeader::sectors
  std::uint64_t integrals_hash = 0;            ///< of the active integrals
  std::span<const CiResult::Sector> finished;  ///< before this one
  std::shared_ptr<const CheckpointOrbitals> orbitals =
      {};  ///< optimised, that all sectors are over; may be null
  std::shared_ptr<const CheckpointSelection> selection =
      {};                                  ///< the list that its space is; null: none that grows
  const Checkpoint* checkpoint = nullptr;  ///< of this sector, with vectors; nullptr: a fresh start
  std::vector<double> guess = {};          ///< [dimension x k], if there is no checkpoint; may be empty
  std::string guess_text = {};   ///< what the guess is, or why there is none, for the report; may be empty
  std::int64_t model_rows = 0;   ///< about so many rows of the model space; 0: as many as suit
  bool add_model_space = false;  ///< to the guess, so that no lower state is missed
  bool with_densities = false;   ///< leave in the sector those of its roots, where the root finder makes them
  CheckpointGenerations* checkpoints = nullptr;  ///< of the run; null: none are written
};

/// Builds the matrix of a sector, or what stands for it, solves, labels the roots; fills `sector`. The vectors are
/// kept in `sector` whatever output.vectors says.
/// @param planned  its plan is used up; its problem is not
SolverStatus solve_sector(const RunContext& context, const SectorContext& start, const CiJob& job,
                          SectorProblem& planned, CiResult::Sector& sector);

/// The header of a checkpoint of this run.
CheckpointHeader checkpoint_header(const CiConfig& config, const SectorContext& start);

}  // namespace cisolve
