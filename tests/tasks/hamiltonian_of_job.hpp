// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve::test {

/// The rows of a job and what they need to live.
struct HamiltonianOfJob {
  explicit HamiltonianOfJob(const CiConfig& config)
      : job(prepare_job(config)), space(build_space(job, memory_limit(config))),
        tables(job.active->integrals, config.threshold), rows(make_row_source(*space, tables)) {}

  CiJob job;
  std::unique_ptr<Space<string_words>> space;
  IntegralTables tables;
  std::unique_ptr<RowSource> rows;
};

}  // namespace cisolve::test
