// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"

namespace cisolve::bench {

/// Builds the matrix of the job `repeats` times in each format and reports seconds of the two passes,
/// nonzeros per second and core, and the peak memory beside the bytes of the matrix. Rows spread over
/// the matrix are compared with row_by_definition first.
/// @throws Error if a row is wrong
nlohmann::json run_build(const BenchJob& job, int repeats);

}  // namespace cisolve::bench
