// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/tasks/checkpoint.hpp"
#include "cisolve/tasks/ci.hpp"
#include "cisolve/tasks/ci_job.hpp"
#include "cisolve/tasks/ci_result.hpp"
#include "tasks/ci_plan.hpp"

namespace cisolve {

/// Everything up to the matrix: shared by a run, by --check and by the benchmarks.
struct CiProblem {
  CiJob job;
  std::unique_ptr<Space<string_words>> space;
  std::unique_ptr<IntegralTables> tables;
  std::unique_ptr<RowSource> rows;
  std::vector<double> diagonal;
  std::vector<double> guess;  ///< [dimension x k] of the file that solver.guess names; may be empty
  CiPlan plan;
  double count_seconds = 0.0;
};

/// Integrals, electrons and references; prints molecule, SCF and system, and fills `result`.
CiJob set_up_job(const CiConfig& config, const RunControl& control, std::ostream& report, CiResult& result);

/// Reads, builds space and row source, counts; prints the sections of the report as it goes and fills
/// `result`. Of the plan there is row_lengths alone, and no diagonal: enough to pass over the rows.
/// @param checkpoint  if given, checked against integrals and space as soon as they are known
CiProblem set_up_rows(const CiConfig& config, const RunControl& control, std::ostream& report,
                      CiResult& result, const Checkpoint* checkpoint);

/// All of that, and the plan; prints the sections of the report as it goes and fills `result`.
/// @param checkpoint  if given, checked against integrals and space as soon as they are known
CiProblem set_up(const CiConfig& config, const RunControl& control, std::ostream& report, CiResult& result,
                 const Checkpoint* checkpoint);

/// Vectors of an earlier result, projected on the space and normalised: [dimension x k].
/// @throws InputError if the file is refused or has no vectors, or nothing of them lies in the space
std::vector<double> read_guess(const std::filesystem::path& file, const Space<string_words>& space);

/// Leading configurations and warnings about the roots, from their final vectors.
/// @param vectors  [dimension x roots], column-major
void describe_states(const CiConfig& config, const CiProblem& problem, std::span<const double> vectors,
                     CiResult& result);

}  // namespace cisolve
