// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace cisolve {

/// One line per device that a run can use, e.g. "cpu, 16 threads", "cuda 0: NVIDIA H200, 139.7 GiB".
/// A build without CUDA, or a machine without a driver, lists the CPU alone. Never throws for that.
std::vector<std::string> visible_devices();

}  // namespace cisolve
