// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"

namespace cisolve::bench {

struct DensityOptions {
  int repeats = 3;
  std::int64_t sums_mib = 256;  ///< memory of sums under way
};

/// Times, in turns, a product without a matrix, the one-particle and the two-particle density matrices of a random
/// vector of norm 1, after checking that they give its energy and each other.
/// @throws InputError  the job has no product without a matrix
/// @throws Error       a check fails
nlohmann::json run_density(const BenchJob& job, const DensityOptions& options);

}  // namespace cisolve::bench
