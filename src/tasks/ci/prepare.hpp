// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/io/file_lock.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// Says before the work and not after it whether the files are there that it needs, and those can be written that it
/// makes; and whether the program can have the GPUs that are asked for.
/// @throws InputError, SystemError
void require_files(const CiConfig& config);

/// Keeps result file and checkpoint to this run while it lives.
struct RunLocks {
  FileLock result, checkpoint;
};

/// Takes the locks of a run, and then requires its files; warns in the log where the file system has no locks.
/// @throws SystemError if another run has one; or as require_files
[[nodiscard]] RunLocks lock_files(const CiConfig& config, const RunControl& control);

/// What a job says of electrons, orbitals and integrals, in place of what `system` said.
void describe_system(const CiConfig& config, const CiJob& job, CiResult::System& system);

/// Settles integrals, electrons and references of all sectors; prints molecule, SCF and system, and describes them
/// in the result with the time taken. Warnings stay with the jobs.
std::vector<CiJob> prepare_sectors(const RunContext& context);

/// Irrep and multiplicity of a sector: "irrep A1, multiplicity 3", or "all irreps".
std::string sector_name(const CiJob& job);

/// What a sector's roots are restricted to: " of irrep A1 and multiplicity 3", " of multiplicity 3" or "".
std::string states_name(const CiJob& job);

}  // namespace cisolve
