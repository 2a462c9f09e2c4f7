// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve {

/// Adds the warnings of a scan whose points are done: SCF states that are not those of the points alone, occupations
/// that change, and what the points warn of, each kind once, as the first of them has it.
/// @param follow_scf  as ScanConfig
void add_scan_warnings(ScanResult& scan, bool follow_scf);

}  // namespace cisolve
