// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/run/task.hpp"

namespace cisolve {

/// A single configuration-interaction calculation.
Task ci_task();

}  // namespace cisolve
