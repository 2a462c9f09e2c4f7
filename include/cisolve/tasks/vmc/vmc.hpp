// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/vmc/vmc_config.hpp"
#include "cisolve/tasks/vmc/vmc_result.hpp"

namespace cisolve {

/// Samples a trial state of a lattice model: optimises its parameters where that is asked for, equilibrates, measures,
/// judges the statistics, writes result file and checkpoints. The report goes to `report`.
/// @throws InputError     what the user asked for or gave is wrong, or no chain can walk; no result file is written
/// @throws ResourceError  it does not fit the memory; thrown before allocating
/// @throws SystemError    I/O or the device failed
RunOutcome run_vmc(const VmcConfig& config, const RunOptions& options, const RunControl& control,
                   std::ostream& report);

/// Prints what run_vmc would do: lattice, trial state, memory. Writes no file.
/// @throws InputError, ResourceError as run_vmc
void check_vmc(const VmcConfig& config, std::ostream& report, const OtherMachine& machine = {});

/// Reads the result of run_vmc. @throws InputError if it is none, or damaged
VmcResult read_vmc(const std::filesystem::path& file);

/// Whether a result file is one. @throws InputError if it is absent or no result file
bool holds_vmc(const std::filesystem::path& file);

/// Prints a result as the run did.
void print_vmc(std::ostream& out, const VmcResult& result, bool verbose = false);

/// The page of a result.
std::string vmc_page(const std::filesystem::path& file);

/// Does the statistics of a file again from its series and compares. @return whether they agree
bool verify_vmc(const std::filesystem::path& file, std::ostream& report, bool thorough);

}  // namespace cisolve
