// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// A job at several geometries, or with several files of integrals.
struct ScanConfig {
  CiConfig job;            ///< what all points share; geometry or integrals are those of the first
  std::string coordinate;  ///< "bond 1 2", "bond 1 2, bond 1 3"; "file": the points are files
  std::string unit;        ///< of the values: "angstrom", "bohr", "degree"; "1" with files
  std::vector<double> values;
  std::vector<CiConfig> points;
  bool warm_start = true;
};

/// The scan that the input asks for, all geometries made and their common point group found.
/// @throws InputError if a value is refused, values contradict each other, or a file is absent or refused
ScanConfig read_scan_config(const Input& input);

/// Runs a scan, a CI calculation per point. Each begins with the orbitals and vectors of the one before. The
/// result file has a group per point and is complete at any moment: a point is added when it is done. A point
/// whose SCF does not converge, or that has no state of the kind asked for, is reported and passed over.
/// @param options  restart: points that are done stay; the one that was running goes on from its checkpoint
/// @returns not_converged also if a point failed
/// @throws InputError, ResourceError, SystemError, Interrupted  as run_ci; what the first point finds wrong with the input ends the scan
RunOutcome run_scan(const ScanConfig& scan, const RunOptions& options, const RunControl& control,
                    std::ostream& report);

/// Prints the plan of the first point and what all of them will need. Writes no file.
/// @throws InputError, SystemError, ResourceError  as check_ci
void check_scan(const ScanConfig& scan, std::ostream& report, const OtherMachine& machine = {});

}  // namespace cisolve
