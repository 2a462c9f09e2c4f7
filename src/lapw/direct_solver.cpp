// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/eigenstates.hpp"
#include "lapw/eigen_tools.hpp"

namespace cisolve::lapw {

Engine::Canonical Engine::kept_directions(std::span<const double> eigenvalues, double threshold) {
  const double least = threshold * eigenvalues.back();
  const auto first =
      std::ranges::find_if(eigenvalues, [&](double value) { return value >= least && value > 0.0; });
  if (first == eigenvalues.end()) throw Error("the overlap matrix has no positive eigenvalue");
  Canonical result;
  result.lowest = eigenvalues.front();
  result.highest = eigenvalues.back();
  result.smallest_kept = *first;
  result.dropped = first - eigenvalues.begin();
  return result;
}

bool Eigenstates::all_converged() const { return std::ranges::find(converged, false) == converged.end(); }

bool davidson_pays(std::int64_t n, std::int64_t roots) { return n > 2000 && roots < n / 30; }

Eigenstates solve_directly(Engine& engine, const EigenOptions& options) {
  require_finite(engine);
  const std::int64_t n = engine.size(), roots = std::min(options.roots, n);
  Eigenstates states;
  states.solver = "direct";
  if (roots == 0) return states;
  bool is_regular = timed(states, "solver: Cholesky", [&] { return engine.factor_overlap(); });
  if (is_regular) {
    states.overlap = timed(states, "solver: ends of overlap", [&] { return overlap_ends(engine); });
    is_regular = !is_nearly_singular(states.overlap);
  }
  if (is_regular) {
    states.energies.resize(static_cast<std::size_t>(roots));
    states.vectors = Array<Complex>(static_cast<std::size_t>(n * roots));
    timed(states, "solver: eigenproblem", [&] {
      engine.solve_standard_problem(states.energies, states.vectors.data());
      return true;
    });
  } else {
    Engine::Canonical found = timed(states, "solver: eigenproblem", [&] {
      return engine.solve_canonically(roots, options.overlap_threshold);
    });
    states.overlap = {found.lowest, found.highest, found.dropped, found.smallest_kept};
    states.energies = std::move(found.energies);
    states.vectors = std::move(found.vectors);
  }
  judge(engine, states);
  // The states are as good as rounding allows; what their residuals say of that is for a warning.
  states.converged.assign(states.energies.size(), true);
  return states;
}

}  // namespace cisolve::lapw
