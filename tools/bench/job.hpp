// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/problem/problem.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve::bench {

/// Where the matrix of a benchmark comes from.
struct JobOptions {
  std::string input_file;
  std::vector<std::string> settings;  ///< key=value, as of cisolve --set
  double random_rows = 1.0;           ///< share of the determinants above level 2 to keep, at random
  std::uint64_t seed = 1;
  std::int64_t first_rows = 0;  ///< keep this many of those determinants, the first; 0: all
  bool solves = true;           ///< refuse what has no room for a solver's vectors
};

/// A job up to its rows.
struct BenchJob {
  CiConfig config;
  CiJob job;
  std::unique_ptr<Problem> problem;
  /// A row of H by definition, see definition.hpp.
  std::function<std::vector<double>(std::int64_t row)> row_by_definition;
  std::unique_ptr<RowSource> rows;
  std::string name;
  double integrals_seconds = 0.0;
  double space_seconds = 0.0;
  double source_seconds = 0.0;  ///< tables of integrals and of what rows are made from
};

/// A job without its rows.
/// @throws InputError, ResourceError as the program does
BenchJob load_problem(const JobOptions& options);

/// @throws as above
BenchJob load_job(const JobOptions& options);

}  // namespace cisolve::bench
