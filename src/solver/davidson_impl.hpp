// SPDX-License-Identifier: MIT
#pragma once

// The body of cisolve/solver/davidson.hpp, written once over the backend. Included only where the
// templates are instantiated: solver/davidson.cpp and cuda/solver/davidson.cpp.

#include <set>
#include <utility>

#include "solver/davidson_run.hpp"

namespace cisolve {

template <class Backend>
ModelSpace make_model_space(const Operator<Backend>& h, std::vector<std::int64_t> rows) {
  if (std::set<std::int64_t>(rows.begin(), rows.end()).size() != rows.size()) {
    throw DimensionError("make_model_space: a row is listed twice");
  }
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= h.size()) throw DimensionError("make_model_space: a row is not in the matrix");
  }
  auto [energies, vectors] = dense::diagonalise(h.dense_block(rows));
  return {std::move(rows), std::move(energies), std::move(vectors)};
}

template <class Backend>
EigenResult<Backend> davidson(const Backend& backend, const Operator<Backend>& h,
                              const StartBlock<Backend>& start, const ModelSpace& model_space,
                              const DavidsonConfig& config, const SolverObserver<Backend>& observer,
                              std::vector<IterationRecord> history, const SubspaceFilter<Backend>* filter) {
  check_davidson_input(h.size(), start.columns, config);
  DavidsonRun<Backend> run(backend, h, model_space, config, start.columns, std::move(history), filter);
  return run.solve(start, observer);
}

template <class Backend>
EigenResult<Backend> davidson(const Backend& backend, const Operator<Backend>& h,
                              typename Backend::ConstView start, const ModelSpace& model_space,
                              const DavidsonConfig& config, const SolverObserver<Backend>& observer,
                              std::vector<IterationRecord> history, const SubspaceFilter<Backend>* filter) {
  if (start.rows != h.size()) {
    throw DimensionError("davidson: the start vectors must have one element per row of the matrix");
  }
  const StartBlock<Backend> block{start.columns, [&](int first, typename Backend::View out) {
                                    backend.copy(start.slice(first, out.columns), out);
                                  }};
  return davidson<Backend>(backend, h, block, model_space, config, observer, std::move(history), filter);
}

}  // namespace cisolve
