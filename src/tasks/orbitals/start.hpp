// SPDX-License-Identifier: MIT
// What an orbital optimisation begins with.
#pragma once

#include <string>
#include <vector>

#include "cisolve/molecule/orbital_optimisation.hpp"
#include "tasks/orbitals/optimise.hpp"

namespace cisolve {

/// The orbitals that the jobs begin with, of an SCF or a file, with their classes in the active space, and subspaces of that.
ClassifiedOrbitals orbitals_of(std::span<const CiJob> jobs);

/// Puts earlier orbitals into the places that those of their class, limits and irrep have here, in their order.
/// @returns why they do not fit; empty: they were taken
std::string take_earlier(const EarlierOrbitals& earlier, const MoleculeConfig& molecule, const CiJob& job,
                         ClassifiedOrbitals& start);

/// What a checkpoint holds of an optimisation.
struct ResumedOptimisation {
  CiResult::Orbitals reached;          ///< weights those of this job
  ClassifiedOrbitals orbitals;         ///< with the classes of this job
  std::vector<SectorVectors> vectors;  ///< of each job; without values where there are none
  bool same_average = false;           ///< the weights are those of the checkpoint
  bool is_done = false;                ///< for the average and the tolerances of this job
};

/// @pre `start` has a checkpoint
/// @throws InputError where the checkpoint has no orbitals, or those of another job
ResumedOptimisation resumed_optimisation(const CiConfig& config, const std::vector<CiJob>& jobs,
                                         const OptimisationStart& start);

}  // namespace cisolve
