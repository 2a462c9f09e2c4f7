// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve {

/// The points of an earlier result file among those of a longer scan.
struct ScanExtension {
  std::vector<ScanPoint> points;  ///< one per value of the longer scan; new ones are pending
  std::vector<int> numbers;       ///< of each in the file, from 1; 0: it is new
};

/// The values of a result file and those asked for, each once, in the order of the coordinate: descending if the
/// file's descend.
std::vector<double> joined_values(const std::vector<double>& earlier, const std::vector<double>& asked);

/// @param scan  as read_extended_scan_config made it
/// @throws InputError  the file is of another job, or lacks a point that it should have; says what differs
ScanExtension read_scan_extension(const ScanConfig& scan);

}  // namespace cisolve
