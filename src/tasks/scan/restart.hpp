// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve {

/// What an interrupted scan left: its result file, a checkpoint of the point that was running, or both.
struct ScanRestart {
  std::optional<std::vector<ScanPoint>> points;  ///< as many as the scan has
  std::optional<Checkpoint> checkpoint;
  std::string checkpoint_name;  ///< CiRunStart::name of its point
};

/// @param checkpoint  none: the one that the config names, if it is there
/// @throws InputError  there is neither file, one is damaged, or they are of another job; says what differs
ScanRestart read_scan_restart(const ScanConfig& scan, const std::optional<std::filesystem::path>& checkpoint);

}  // namespace cisolve
