// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/array.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// The roots of a search with their vectors on the host, in which clusters have been sorted out.
struct LabelledRoots {
  Roots roots;            ///< without vectors
  Array<double> vectors;  ///< [rows x roots], column-major
  std::vector<StateLabel> labels;
};

/// Takes the vectors to the host and labels the roots.
LabelledRoots label_roots(Roots roots, const Basis& basis, const RootFinder& finder);

/// Some columns of vectors[rows x k].
Array<double> columns_of(const Array<double>& vectors, std::int64_t rows,
                         const std::vector<std::size_t>& kept);

/// What a sector makes of the roots that were found.
class FoundRoots {
public:
  FoundRoots(const RunContext& context, const CiJob& job, const Basis& basis, CiResult::Sector& sector)
      : context_(context), job_(job), basis_(basis), sector_(sector) {}

  /// Roots of the wanted spin are picked from those of all spins.
  bool selects_by_spin() const { return job_.multiplicity.has_value() && !context_.config.follow; }

  /// Whether <S^2> is that of the spin asked for, if one was, or nearer to it than to another.
  bool is_of_wanted_spin(double s_squared) const;

  /// The roots to be given: the lowest `wanted` of the spin asked for, and what is degenerate with the last.
  std::vector<std::size_t> choose(const LabelledRoots& found, int wanted) const;

  /// Puts those into the sector.
  void take(LabelledRoots found, const std::vector<std::size_t>& kept);

  /// +Q of each root: needs the energy of its part in the reference space, a product with H. Full CI has
  /// nothing to be estimated, nor have references that are all of the space.
  void correct(const RootFinder& finder);

private:
  bool is_exact() const;

  const RunContext& context_;
  const CiJob& job_;
  const Basis& basis_;
  CiResult::Sector& sector_;
};

}  // namespace cisolve
