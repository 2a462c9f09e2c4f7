// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/run/task.hpp"

namespace cisolve {

/// A calculation at several points.
Task scan_task();

}  // namespace cisolve
