// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/analysis/states.hpp"
#include "cisolve/core/array.hpp"
#include "tasks/ci/search.hpp"
#include "tasks/ci/set_up.hpp"

namespace cisolve {

/// Some columns of vectors[rows x k].
Array<double> columns_of(const Array<double>& vectors, std::int64_t rows,
                         const std::vector<std::size_t>& kept);

/// What a sector makes of the roots that its solver found.
class SectorRoots {
public:
  /// @param is_one_of_several  sectors: then warnings name it
  SectorRoots(const CiConfig& config, const CiProblem& problem, bool is_one_of_several, CiResult& result,
              CiResult::Sector& sector)
      : config_(config), problem_(problem), is_one_of_several_(is_one_of_several), result_(result),
        sector_(sector) {}

  const ClusterConfig& cluster() const { return cluster_; }

  /// Roots of the wanted spin are picked from those of all spins.
  bool selects_by_spin() const { return problem_.job->multiplicity.has_value() && !config_.follow; }

  /// The roots to be given: the lowest `wanted` of the spin asked for, and what is degenerate with the last.
  std::vector<std::size_t> choose(const SolveResult& found, const std::vector<StateLabel>& labels,
                                  int wanted) const;

  /// Puts those into the sector.
  void take(SolveResult found, const std::vector<StateLabel>& labels, const std::vector<std::size_t>& kept);

  /// +Q of each root: needs the energy of its part in the reference space, a product with H. Full CI has
  /// nothing to be estimated.
  template <class Backend>
  void correct(const Backend& backend, const Operator<Backend>& h);

private:
  bool is_exact() const;
  void warn_of_no_correction(const std::vector<std::size_t>& roots);

  const CiConfig& config_;
  const CiProblem& problem_;
  bool is_one_of_several_;
  CiResult& result_;
  CiResult::Sector& sector_;
  ClusterConfig cluster_;
};

}  // namespace cisolve
