// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cisolve/problem/plan.hpp"
#include "cisolve/problem/selected_ci.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// A sector that is planned.
struct SectorProblem {
  Problem problem;
  Plan plan;
  double seconds = 0.0;  ///< that tables and plan took, with all rows counted
};

/// What the problem room is asked, from a job.
BasisDefinition definition_of(const CiJob& job);
PlanOptions plan_options(const CiConfig& config);

/// What a run of this input may take, now, of one process.
/// @throws InputError  run.device is "cuda", and there is none; a device that isn't there cannot be planned for
Resources resources_of(const CiConfig& config, const OtherMachine& machine = {});

/// The device that a run of this input would use if everything fits, as the report names it.
std::string expected_device(const CiConfig& config, const OtherMachine& machine = {});

/// Starts the devices that a run may use, which takes a while; see start_devices.
std::jthread start_device(const CiConfig& config);

/// What each process may take, where there are several, of what this one may.
Resources shared_out(const RunContext& context, const Resources& own);

/// Generates the functions of a sector.
/// @throws DoesNotFit, EmptySpaceError  with the input key
std::unique_ptr<Basis> make_job_basis(const CiConfig& config, const CiJob& job);

/// Warns of what the job found, and describes of a sector what an empty space has too.
void describe_sector(const RunContext& context, const CiJob& job, CiResult::Sector& sector);

/// The list of determinants that a sector grows from.
/// @throws DoesNotFit, EmptySpaceError  with the input key; InputError
std::unique_ptr<SelectedCi> make_sector_list(const RunContext& context, const CiJob& job,
                                             const SelectedStart& start, const Resources& resources);

/// A list that has grown as a sector that is planned, and its roots, [rows x roots].
/// @throws DoesNotFit, EmptySpaceError  with the input key
std::pair<SectorProblem, std::vector<double>> plan_sector_list(const RunContext& context, const CiJob& job,
                                                               SelectedCi& list);

/// Generates the functions of a sector, prints and describes them, and fills `sector` with that; warns of what the
/// job found.
/// @throws DoesNotFit, EmptySpaceError  with the input key; InputError
std::unique_ptr<Basis> make_sector_basis(const RunContext& context, const CiJob& job,
                                         CiResult::Sector& sector);

/// Plans a sector; warns of what the plan cannot do as asked.
/// @param sampled  rows that take long to count are sampled: for a plan that is only looked at
/// @throws DoesNotFit, EmptySpaceError  with the input key; InputError
SectorProblem plan_sector(const RunContext& context, const CiJob& job, std::unique_ptr<Basis> basis,
                          const Resources& resources, bool sampled = false);

}  // namespace cisolve
