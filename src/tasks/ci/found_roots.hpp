// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "cisolve/problem/basis.hpp"
#include "cisolve/problem/state_search.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// What a sector makes of the roots that were found.
class FoundRoots {
public:
  FoundRoots(const RunContext& context, const CiJob& job, const Basis& basis, CiResult::Sector& sector)
      : context_(context), job_(job), basis_(basis), sector_(sector) {}

  /// Puts those that are kept into the sector; their vectors stay where they are.
  void take(const RootFinder& finder, LabelledRoots found, const std::vector<std::size_t>& kept);

  /// +Q of each root: needs the energy of its part in the reference space, a product with H. Full CI has
  /// nothing to be estimated, nor have references that are all of the space.
  void correct(const RootFinder& finder);

private:
  bool is_exact() const;
  std::vector<LeadingConfiguration> leading(const RootFinder& finder, const VectorSource& vectors,
                                            int column) const;

  const RunContext& context_;
  const CiJob& job_;
  const Basis& basis_;
  CiResult::Sector& sector_;
};

}  // namespace cisolve
