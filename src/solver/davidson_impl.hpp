// SPDX-License-Identifier: MIT
#pragma once

// The body of cisolve/solver/davidson.hpp, written once over the backend. Included only where the
// templates are instantiated: solver/davidson.cpp and cuda/solver/davidson.cpp.

#include <set>
#include <utility>

#include "solver/davidson_run.hpp"

namespace cisolve {

template <VectorBackend Backend>
BasicModelSpace<typename Backend::Scalar> make_model_space(const Operator<Backend>& h,
                                                           std::vector<std::int64_t> rows,
                                                           double metric_floor) {
  if (std::set<std::int64_t>(rows.begin(), rows.end()).size() != rows.size()) {
    throw DimensionError("make_model_space: a row is listed twice");
  }
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= h.size()) throw DimensionError("make_model_space: a row is not in the matrix");
  }
  auto [energies, vectors] =
      h.metric() == nullptr
          ? dense::diagonalise(h.dense_block(rows))
          : dense::diagonalise(h.dense_block(rows), h.metric()->dense_block(rows), std::sqrt(metric_floor));
  return {std::move(rows), std::move(energies), std::move(vectors)};
}

template <VectorBackend Backend>
EigenResult<Backend> davidson(const Backend& backend, const Operator<Backend>& h,
                              const StartBlock<Backend>& start,
                              const BasicModelSpace<typename Backend::Scalar>& model_space,
                              const DavidsonConfig& config, const SolverObserver<Backend>& observer,
                              std::vector<IterationRecord> history, const SubspaceFilter<Backend>* filter) {
  check_davidson_input(h.size(), start.columns, config);
  if (filter != nullptr && h.metric() != nullptr) {
    throw DimensionError("davidson: a filter of a problem with a metric is not supported");
  }
  DavidsonRun<Backend> run(backend, h, model_space, config, start.columns, std::move(history), filter);
  return run.solve(start, observer);
}

}  // namespace cisolve
