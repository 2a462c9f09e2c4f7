// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/molecule/orbital_optimisation.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "tasks/run/run_context.hpp"

namespace cisolve {

/// The states of all sectors over one set of orbitals, and their average.
struct AveragedStates {
  double energy = 0.0;  ///< hartree
  ActiveDensities densities;
  std::vector<SectorVectors>
      vectors;  ///< of each sector; where roots are followed, in the order of those before
  std::vector<std::vector<double>> energies;  ///< likewise, of its roots, hartree
  std::int64_t products = 0;                  ///< of H with a vector
  std::vector<std::string>
      unconverged;  ///< sectors whose CI ended before its residuals were below the tolerance
  std::vector<std::string>
      cut;  ///< sectors whose last root in the average is degenerate with one that is not
};

/// The CI inside an orbital optimisation: all sectors, again and again, over integrals that change. Prints nothing and
/// writes no checkpoints.
class AveragedCi {
public:
  /// For two-particle densities. No share of what is free: the order of sums, and so their last bits, follow from it.
  static constexpr std::int64_t bytes_for_pair_sums = std::int64_t{512} << 20;

  /// @param jobs  kept by reference; their integrals are those of the start
  /// @throws EmptySpaceError, InputError  a sector has no or too few functions
  AveragedCi(const RunContext& context, const std::vector<CiJob>& jobs);

  /// @param start      vectors to start from, of each sector; of none, or without values: the model space
  /// @param tolerance  of residuals, hartree
  /// @param with_two   two-particle densities are wanted, too
  /// @throws InputError   a sector has fewer states than are asked for, or another space than its vectors
  /// @throws Interrupted  a stop was requested
  AveragedStates solve(const std::shared_ptr<const ActiveIntegrals>& integrals,
                       std::span<const SectorVectors> start, double tolerance, bool with_two = true) const;

private:
  void add_sector(std::size_t number, CiJob job, const CiConfig& config, std::span<const SectorVectors> start,
                  bool with_two, AveragedStates& states) const;

  const RunContext& context_;
  const std::vector<CiJob>& jobs_;
  std::vector<std::unique_ptr<Basis>> bases_;  ///< of each sector, over the integrals of the start
  Resources resources_;
};

/// @throws InputError  a sector has fewer functions or states than are to be averaged
void require_averaged_states(const CiConfig& config, const CiJob& job, std::int64_t found);

/// A sector's job over other integrals of the same active orbitals.
CiJob with_integrals(CiJob job, const std::shared_ptr<const ActiveIntegrals>& integrals);

/// Gives a molecule's jobs other orbitals, and lets all jobs forget what optimising them took.
/// @param energies  diagonal of a Fock matrix, hartree
void adopt_orbitals(const Matrix& coefficients, const std::vector<double>& energies,
                    std::vector<CiJob>& jobs);

}  // namespace cisolve
