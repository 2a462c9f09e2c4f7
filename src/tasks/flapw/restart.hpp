// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cisolve/tasks/flapw/flapw_config.hpp"
#include "cisolve/tasks/flapw/flapw_result.hpp"

namespace cisolve {

/// Takes the k-points that are done from the result file of an interrupted run; those that have not converged are done again.
/// @throws InputError  absent, damaged, or of another calculation: names the key that differs
void take_finished_points(const FlapwConfig& config, const std::filesystem::path& file, FlapwResult& result);

}  // namespace cisolve
