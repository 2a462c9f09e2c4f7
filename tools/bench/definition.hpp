// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "job.hpp"

namespace cisolve::bench {

/// A row of a job's H by definition: the Slater-Condon rules between determinants; a CSF is first written in
/// its determinants. Slow: what rows are checked against.
/// @return hartree, shape [rows of the job]
std::vector<double> row_by_definition(const BenchJob& job, std::int64_t row);

}  // namespace cisolve::bench
