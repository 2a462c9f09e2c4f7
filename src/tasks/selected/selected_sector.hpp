// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cisolve/problem/selected_ci.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "tasks/ci/sector_problem.hpp"

namespace cisolve {

/// What the growth of a sector's list goes on from; empty: its references.
struct GrowthStart {
  std::shared_ptr<const CheckpointSelection> reached;
  std::span<const double> vectors;  ///< [determinants x any]
  std::string source = {};          ///< what that is of: "checkpoint 'h2o.chk.h5'"
};

/// Writes a checkpoint of a growth: the list with what it has reached, and its roots.
using GrowthSaver = std::function<void(std::shared_ptr<const CheckpointSelection> reached,
                                       std::span<const double> vectors, std::span<const double> energies)>;

/// A sector whose list has grown, planned.
struct GrownSector {
  SolverStatus status = SolverStatus::converged;  ///< interrupted: the rest is not there
  std::unique_ptr<SelectedCi> list;
  std::shared_ptr<const CheckpointSelection> reached;
  std::optional<SectorProblem> planned;
  std::vector<double> start;  ///< [rows x roots]
};

/// Grows the list of a sector, prints that, and describes it in `sector`.
/// @throws DoesNotFit, EmptySpaceError  with the input key; InputError
GrownSector grow_sector(const RunContext& context, const CiJob& job, const GrowthStart& start,
                        const GrowthSaver& save, CiResult::Sector& sector);

}  // namespace cisolve
