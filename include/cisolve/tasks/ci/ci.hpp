// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve {

/// Runs a CI calculation: reads the integrals, builds space and Hamiltonian, solves, writes result
/// file and checkpoints. The report goes to `report`.
/// @throws InputError     what the user asked for or gave is wrong; no result file is written
/// @throws ResourceError  it does not fit the memory or the device; thrown before allocating
/// @throws SystemError    I/O or the device failed
/// @throws Interrupted    stopped before there was anything to keep
RunOutcome run_ci(const CiConfig& config, const RunOptions& options, const RunControl& control,
                  std::ostream& report);

/// Reads the integrals, builds the space and writes the plan: dimensions, nonzeros, what the format chosen takes,
/// device, time estimate. Writes no file.
/// @param control  verbose: bytes of all formats, all orbitals; served: the plan is that of all processes
/// @throws InputError, SystemError as run_ci; ResourceError if the run would not fit
void check_ci(const CiConfig& config, std::ostream& report, const OtherMachine& machine = {},
              const RunControl& control = {});

}  // namespace cisolve
