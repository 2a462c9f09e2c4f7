// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/array.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/solver/missed_roots.hpp"

namespace cisolve {

/// The roots of a search, in whose vectors clusters have been sorted out.
struct LabelledRoots {
  Roots roots;  ///< with vectors: where they were found, or on the host
  std::vector<StateLabel> labels;
};

/// Labels the roots: where their vectors are, or else on the host.
LabelledRoots label_roots(Roots roots, const Basis& basis, RootFinder& finder);

/// The states that are sought: the lowest, of one spin or of any.
struct WantedStates {
  int count = 1;
  std::optional<int> multiplicity = {};  ///< 2S + 1; none: any
  bool follow = false;  ///< those of largest overlap with the start vectors, whatever their energy and spin

  /// Roots of one spin are picked from those of all.
  bool are_of_one_spin() const { return multiplicity.has_value() && !follow; }

  /// Whether <S^2> is that of the spin wanted, if one is, or nearer to it than to another.
  bool include(double s_squared) const;

  /// The roots to be given: the lowest `count` of the spin wanted, and what is degenerate with the last.
  std::vector<std::size_t> choose(const LabelledRoots& found) const;
};

/// How states are sought, and who hears of it.
struct StateSearchOptions {
  Search first = {};  ///< the search to begin with, with its observer; num_roots 0: as many as are wanted
  bool looks_for_missed = true;                       ///< for states below the highest that the search missed
  std::function<void()> searched = {};                ///< after each search of the solver; may be empty
  std::function<void(std::string_view)> notify = {};  ///< why there is another, a line; may be empty
};

/// What was found.
struct FoundStates {
  LabelledRoots found;  ///< all roots of the last search; where that was interrupted, no vectors and labels
  std::vector<std::size_t> kept;  ///< those wanted
  MissedRootProbe probe;          ///< of states that the search may have missed
  bool searched_all = false;      ///< there are no other states
  double solve_seconds = 0.0, analysis_seconds = 0.0;
};

/// Seeks states until there are enough of the spin wanted, or no more: searches again among more roots, or within the
/// spin, where others came first, and from a state that a look for missed roots came upon.
/// @param basis   of the finder's problem
/// @param finder  may be kept to the wanted spin afterwards
/// @throws Error as davidson
FoundStates find_states(const Basis& basis, RootFinder& finder, const WantedStates& wanted,
                        StateSearchOptions options = {});

/// A status as results and reports name it.
std::string_view status_name(SolverStatus status);

/// Nanoseconds of a product with H on one processor, by its storage and not by a clock, so that a run does the same when it is
/// repeated; on a device, which is much faster, of that.
double product_nanoseconds(const HamiltonianSummary& hamiltonian);

/// How far below a root another must be found to have been missed, hartree: closer, they are one cluster, or rounding and
/// the root's residual explain it.
inline double missed_root_margin(double residual_norm) {
  constexpr double residuals = 2.0;  // of the root, and of those below it
  return DavidsonConfig().cluster_width + residuals * residual_norm;
}

}  // namespace cisolve
