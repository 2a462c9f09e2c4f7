// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// How a calculation that wrote its results ended.
enum class RunOutcome {
  converged,      ///< all roots; exit status 0
  not_converged,  ///< ran to the limit, some roots are not converged; exit status 2
  interrupted     ///< by a signal, after writing a checkpoint; exit status 130 or 143
};

/// What the command line adds to a CI calculation.
struct CiRunOptions {
  bool restart = false;                                  ///< go on from a checkpoint
  std::optional<std::filesystem::path> checkpoint = {};  ///< none: the one that the config names
};

/// Runs a CI calculation: reads the integrals, builds space and Hamiltonian, solves, writes result
/// file and checkpoints. The report goes to `report`.
/// @throws InputError     what the user asked for or gave is wrong; no result file is written
/// @throws ResourceError  it does not fit the memory or the device; thrown before allocating
/// @throws SystemError    I/O or the device failed
/// @throws Interrupted    stopped before there was anything to keep
RunOutcome run_ci(const CiConfig& config, const CiRunOptions& options, const RunControl& control,
                  std::ostream& report);

/// What a machine has for which a run is planned elsewhere. Its host memory and threads are the config's.
struct OtherMachine {
  std::optional<std::int64_t> device_memory =
      {};  ///< bytes that are free on a device; none: those of this machine
};

/// Reads the integrals, builds the space and writes the plan: dimensions, nonzeros, bytes per format,
/// device, time estimate. Writes no file.
/// @throws InputError, SystemError as run_ci; ResourceError if the run would not fit
void check_ci(const CiConfig& config, std::ostream& report, const OtherMachine& machine = {});

/// Prints the report of a result file again.
/// @throws InputError if the file is absent or is not a result file
void show_result(const std::filesystem::path& file, std::ostream& report);

}  // namespace cisolve
