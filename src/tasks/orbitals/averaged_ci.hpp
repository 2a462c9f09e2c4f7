// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cisolve/molecule/orbital_optimisation.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// The states of all sectors over one set of orbitals, and their average.
struct AveragedStates {
  double energy = 0.0;  ///< hartree
  ActiveDensities densities;
  std::vector<std::vector<double>> vectors;  ///< of each sector: [dimension x roots], column-major
  std::int64_t products = 0;                 ///< of H with a vector
};

/// The CI inside an orbital optimisation: all sectors, again and again, over integrals that change. Prints nothing and
/// writes no checkpoints.
class AveragedCi {
public:
  /// @param jobs  kept by reference; their integrals are those of the start
  AveragedCi(const RunContext& context, const std::vector<CiJob>& jobs);

  /// @param start      vectors to start from, as of the result; empty: the model space
  /// @param tolerance  of residuals, hartree
  /// @throws InputError   a sector has fewer states than are asked for
  /// @throws Interrupted  a stop was requested
  AveragedStates solve(const std::shared_ptr<const ActiveIntegrals>& integrals,
                       const std::vector<std::vector<double>>& start, double tolerance) const;

private:
  void add_sector(std::size_t number, CiJob job, const CiConfig& config,
                  const std::vector<std::vector<double>>& start, AveragedStates& states) const;

  const RunContext& context_;
  const std::vector<CiJob>& jobs_;
  Resources resources_;
};

/// A sector's job over other integrals of the same active orbitals.
CiJob with_integrals(CiJob job, const std::shared_ptr<const ActiveIntegrals>& integrals);

}  // namespace cisolve
