// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/run/task.hpp"

// The tasks that tasks.cpp registers, each defined in its own folder.

namespace cisolve {

/// A single configuration-interaction calculation.
Task ci_task();

/// H and S of a crystal in linearised augmented plane waves, and their eigenvalues.
Task flapw_task();

/// Variational Monte Carlo of a model on a lattice.
Task vmc_task();

/// A calculation at several points.
Task scan_task();
/// Its section of the input.
InputSection scan_section();

}  // namespace cisolve
