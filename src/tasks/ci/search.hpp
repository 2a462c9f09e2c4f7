// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// What the solution of a CI problem needs besides the operator.
struct SolveRequest {
  const CiConfig& config;
  int num_roots;
  const ModelSpace& model_space;
  const Matrix& start;            ///< coefficients over the model space's rows, best first, a column each
  std::span<const double> guess;  ///< [dimension x k] of an earlier result; may be empty
  const Checkpoint* checkpoint;   ///< to go on from; nullptr: a fresh start
  CheckpointHeader header;        ///< of checkpoints to be written, without history
  std::span<const CiResult::Sector> finished;  ///< goes into checkpoints
  const RunControl& control;
  std::ostream& report;
  std::int64_t max_columns = 0;               ///< see DavidsonConfig
  std::int64_t checkpoint_buffer = 0;         ///< bytes that a checkpoint may take while the solver goes on
  bool add_model_space = false;               ///< start with what the model space has beyond the guess
  std::vector<IterationRecord> history = {};  ///< of a run that this one continues from `guess`
};

/// Roots on the host, whatever computed them.
struct SolveResult {
  SolverStatus status = SolverStatus::not_converged;
  std::vector<double> energies, residual_norms;
  std::vector<bool> converged;
  Array<double> vectors;  ///< [dimension x roots], column-major
  std::vector<IterationRecord> history;
  std::int64_t num_applications = 0;
};

/// Runs the solver with start vectors from the model space, a guess or a checkpoint; prints a line per
/// iteration and writes checkpoints: at the configured interval, when asked for, and when stopped.
/// @param filter  if given, roots in its subspace only
template <class Backend>
SolveResult solve(const Backend& backend, const Operator<Backend>& h, const SolveRequest& request,
                  const SubspaceFilter<Backend>* filter);

/// ||H c - E c|| of some roots, after their vectors were rotated.
template <class Backend>
std::vector<double> residual_norms(const Backend& backend, const Operator<Backend>& h,
                                   std::span<const double> vectors, std::span<const double> energies);

}  // namespace cisolve
