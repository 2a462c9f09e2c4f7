// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve::bench {

/// Times integrals, SCF (without its stability analysis) and the transformation to all orbitals of a molecule: wall
/// and processor seconds.
/// @throws InputError if the job has no [molecule]
nlohmann::json run_molecule(const CiConfig& config, int repeats);

}  // namespace cisolve::bench
