// SPDX-License-Identifier: MIT
#include "matrix_options.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"

namespace cisolve::bench {

void add_job_options(CLI::App& app, JobOptions& job, bool required) {
  auto* file = app.add_option("job", job.input_file, "input file of cisolve");
  if (required) file->required();
  app.add_option("--set", job.settings, "KEY=VALUE: override an input key")->allow_extra_args(false);
  app.add_option("--random-rows", job.random_rows,
                 "share of the determinants above level 2 to keep, at random")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--first-rows", job.first_rows,
                 "keep this many determinants, the first in the order of files")
      ->check(CLI::PositiveNumber);
}

void add_matrix_options(CLI::App& app, MatrixOptions& options) {
  add_job_options(app, options.job, false);
  app.add_option("--random-matrix", options.random_matrix,
                 "ROWS,NONZEROS_PER_ROW: a matrix without chemistry, instead of a job's")
      ->delimiter(',')
      ->expected(2);
  app.add_option("--clustering", options.clustering, "share of nonzeros close to the one before, in [0, 1)")
      ->capture_default_str();
  app.add_option(
      "--paper-matrix", options.paper_matrix,
      "K: a matrix with the figures of Matrix K of doi:10.3390/computation6030045, instead of a job's");
  app.add_option("--paper-rows", options.paper_matrix_rows, "its order; rows keep their lengths")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of what is drawn at random")->capture_default_str();
}

LoadedMatrix load_matrix(const MatrixOptions& options) {
  const int asked_for =
      !options.job.input_file.empty() + !options.random_matrix.empty() + (options.paper_matrix != 0);
  if (asked_for != 1) throw InputError("one matrix is needed: a job, --random-matrix or --paper-matrix");
  LoadedMatrix result;
  if (!options.job.input_file.empty()) {
    JobOptions job = options.job;
    job.seed = options.seed;
    result.job = std::make_unique<BenchJob>(load_job(job));
    result.name = result.job->name;
  } else if (options.paper_matrix != 0) {
    result.generated =
        std::make_unique<PaperMatrix>(options.paper_matrix, options.seed, options.paper_matrix_rows);
    result.name = fmt::format("Matrix {}, {} rows", options.paper_matrix, options.paper_matrix_rows);
  } else {
    const RandomMatrixShape shape{static_cast<std::int64_t>(options.random_matrix[0]),
                                  options.random_matrix[1], options.clustering, options.seed};
    result.generated = std::make_unique<RandomMatrix>(shape);
    result.name = fmt::format("random, {} rows, {} nonzeros per row, clustering {}", shape.num_rows,
                              shape.mean_row_length, shape.clustering);
  }
  return result;
}

}  // namespace cisolve::bench
