// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "job.hpp"
#include "paper_matrix.hpp"
#include "random_matrix.hpp"

namespace cisolve::bench {

/// The matrix of a benchmark: a job's, a random one, or one with the figures of the paper's.
struct MatrixOptions {
  JobOptions job;
  std::vector<double> random_matrix;  ///< rows, nonzeros per row
  double clustering = RandomMatrixShape{}.clustering;
  int paper_matrix = 0;  ///< 1 .. 10; 0: none
  std::int64_t paper_matrix_rows = paper_rows;
  std::uint64_t seed = 1;  ///< of whatever is drawn at random
};

/// A job given on the command line: its file, overrides and which of its rows to keep.
void add_job_options(CLI::App& app, JobOptions& job, bool required);

void add_matrix_options(CLI::App& app, MatrixOptions& options);

/// The rows, and what they need to live.
struct LoadedMatrix {
  std::unique_ptr<BenchJob> job;         ///< null for a generated matrix
  std::unique_ptr<RowSource> generated;  ///< null for a job's
  std::string name;

  const RowSource& rows() const { return job ? *job->rows : *generated; }
};

/// @throws InputError unless exactly one matrix is asked for; what load_job and the generators throw
LoadedMatrix load_matrix(const MatrixOptions& options);

}  // namespace cisolve::bench
