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

/// Times the one-particle density matrices of a random vector of norm 1 on the current device beside the host's, after
/// checking that they agree and that the device's repeat to the last bit. Only in builds with CUDA.
/// @throws InputError  the space is not made of blocks of strings
/// @throws Error       a check fails
nlohmann::json run_device_density(const BenchJob& job, int repeats);

}  // namespace cisolve::bench
