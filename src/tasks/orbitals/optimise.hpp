// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "tasks/ci/all_sectors.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// What an orbital optimisation begins with, and where it keeps what it has reached.
struct OptimisationStart {
  const EarlierOrbitals* earlier =
      nullptr;  ///< where they fit, if there is no checkpoint; null: those of the SCF
  const Checkpoint* checkpoint = nullptr;        ///< to go on from; may be null
  std::string checkpoint_source = {};            ///< for messages: "checkpoint 'h2o.chk.h5'"
  std::vector<std::string> sectors = {};         ///< names of the jobs, for checkpoints
  CheckpointGenerations* checkpoints = nullptr;  ///< null: none are written
};

/// Most bytes that optimising the orbitals takes beside the CI; 0: it is not asked for, or takes no more than the integrals.
std::int64_t optimisation_bytes(const CiConfig& config, std::span<const CiJob> jobs);

/// @throws DoesNotFit  they are more than the memory
void require_room_for_optimisation(const CiConfig& config, std::span<const CiJob> jobs);

/// What an orbital optimisation leaves to the CI that follows it.
struct OptimisedOrbitals {
  SolverStatus status = SolverStatus::converged;  ///< interrupted: what was reached is in the checkpoint
  bool of_checkpoint = false;                     ///< they are those that its other vectors are over
  std::shared_ptr<const CheckpointOrbitals> kept = {};  ///< for checkpoints of the CI
  /// Of each job, over the orbitals that the jobs have now; null: there are none.
  std::shared_ptr<const std::vector<SectorVectors>> vectors = {};
};

/// Optimises the orbitals of the jobs for the energy averaged over all sectors: CASSCF, or the like over a RAS or a
/// truncated space, in two steps, a CI and a step of the orbitals in a trust region. Or makes them natural, see
/// replace_by_natural_orbitals. Gives the jobs integrals over the orbitals found and these orbitals
/// themselves, fills /orbitals and what /system says of integrals, and prints an iteration a line. Not converging is a
/// result. Checkpoints are written at the interval of the input, when asked for, and when it ends before it converged.
/// @throws InputError, ResourceError  as the CI of a sector; InputError where the checkpoint is of another job
/// @throws Interrupted                a stop was requested, and there is no checkpoint
/// @see B. O. Roos, P. R. Taylor, P. E. M. Siegbahn, Chem. Phys. 48 (1980) 157, doi:10.1016/0301-0104(80)80045-0
OptimisedOrbitals optimise_orbitals(const RunContext& context, std::vector<CiJob>& jobs,
                                    const OptimisationStart& start = {});

}  // namespace cisolve
