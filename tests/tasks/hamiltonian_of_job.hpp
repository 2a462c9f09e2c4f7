// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/problem/problem.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/ci/sector_problem.hpp"

namespace cisolve::test {

/// The rows of a job and what they need to live.
struct HamiltonianOfJob {
  explicit HamiltonianOfJob(const CiConfig& config)
      : job(prepare_job(config)),
        problem(make_basis(definition_of(job), memory_limit(config)), config.threshold),
        rows(problem.basis->make_rows(*problem.tables)) {}

  CiJob job;
  Problem problem;
  std::unique_ptr<RowSource> rows;
};

}  // namespace cisolve::test
