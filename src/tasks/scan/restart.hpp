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

/// A checkpoint with the name of its point, without points.
/// @throws InputError  absent, damaged or of another job
ScanRestart read_scan_checkpoint(const ScanConfig& scan, const std::filesystem::path& file,
                                 const RunControl& control);

/// @param named  a checkpoint, or the result file of this scan; none: what the config names, if it is there
/// @throws InputError  there is neither file, one is damaged, or they are of another job; says what differs
ScanRestart read_scan_restart(const ScanConfig& scan, const std::optional<std::filesystem::path>& named,
                              const RunControl& control);

}  // namespace cisolve
