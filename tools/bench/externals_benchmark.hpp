// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"

namespace cisolve::bench {

struct ExternalsOptions {
  double epsilon = 1e-4;  ///< hartree: the list is grown by heat bath down to this
  int repeats = 3;
  bool on_host = true;     ///< sums of the host are timed
  bool on_device = false;  ///< those of the current device, too; only in builds with CUDA
};

/// Times the growth of a list from the job's space, then the sums over its externals: E2, and E2 with a choice of as many
/// externals as determinants are listed. Host and device take turns, and must agree.
/// @throws Error  they don't
nlohmann::json run_externals(const BenchJob& job, const ExternalsOptions& options);

}  // namespace cisolve::bench
