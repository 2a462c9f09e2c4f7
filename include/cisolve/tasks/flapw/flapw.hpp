// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "cisolve/tasks/flapw/flapw_config.hpp"
#include "cisolve/tasks/flapw/flapw_result.hpp"
#include "cisolve/tasks/run/run_control.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve {

/// Makes H and S of all k-points, one after another or shared with the processes that serve this one, and finds their lowest
/// states. The result file is replaced after each, so that `restart` does what is missing.
/// @throws InputError, ResourceError, SystemError, Interrupted  as Task::run
RunOutcome run_flapw(const FlapwConfig& config, const RunOptions& options, const RunControl& control,
                     std::ostream& report);

/// Prints order, rows, flops and bytes of each algorithm, and the seconds that they would take at the rate of ZGEMM here.
void check_flapw(const FlapwConfig& config, std::ostream& report, const OtherMachine& machine,
                 const RunControl& control);

/// Whether a result file is one of FLAPW.
/// @throws InputError if it is absent or not a result file
bool holds_flapw(const std::filesystem::path& file);

/// Reads a result, without vectors and matrices.
/// @throws InputError  absent, damaged, of another kind or format version
FlapwResult read_flapw(const std::filesystem::path& file);

/// Prints the report of a result.
void print_flapw_report(std::ostream& out, const FlapwResult& result, bool verbose = false);

/// The page of a result.
std::string flapw_page(const std::filesystem::path& file);

/// Calculates the residuals of all states again, from the matrices in the file.
/// @throws InputError  the file has none, or no vectors
bool verify_flapw(const std::filesystem::path& file, std::ostream& report, bool thorough);

}  // namespace cisolve
