// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"

namespace cisolve::bench {

/// Runs the whole job, integrals to HDF5, `repeats` times and reports the timeline.
/// @throws Error if it does not converge
nlohmann::json run_solve(const CiConfig& config, int repeats);

}  // namespace cisolve::bench
