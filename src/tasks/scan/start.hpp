// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cisolve/molecule/scf.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/ci/all_sectors.hpp"

namespace cisolve {

/// A finished point of a scan that the next one begins with.
struct EarlierPoint {
  int number = 0;                    ///< from 1
  const CiConfig* config = nullptr;  ///< its own
  CiResult result;                   ///< with vectors, if they are to be carried
};

/// Its orbitals, for the SCF; null where the integrals come from files.
std::shared_ptr<const ScfOrbitals> carried_orbitals(const CiResult& result);

/// Those of its orbitals that were frozen, of a CAS or of limits, to be followed; null where the integrals come from
/// files.
/// @param earlier  its configuration must outlive the result
std::shared_ptr<const ChosenOrbitals> chosen_orbitals(const EarlierPoint& earlier,
                                                      std::shared_ptr<const ScfOrbitals> orbitals);

/// Its optimised orbitals; null where there are none.
/// @param earlier  its configuration must outlive the result
std::shared_ptr<const EarlierOrbitals> optimised_orbitals(const EarlierPoint& earlier);

/// Its vectors, for the solver: each orbital here is matched with the one there that it continues, and the vectors
/// are written in those here, signs and order of orbitals included. A root of which more than half would be lost
/// is left out; the description says how many are carried, or why none is. Orbitals of files are taken to
/// correspond by number.
/// @param config   of the point that begins
/// @param earlier  must outlive the source
StartVectorSource carried_vectors(const CiConfig& config, const EarlierPoint& earlier);

/// Likewise its strongest determinants, for the list of a selected CI: a quarter of those there, behind the references here.
/// None, and the description says why, where not all roots are kept or the space here is more than its references.
/// @param earlier  must outlive the source
StartListSource carried_lists(const CiConfig& config, const EarlierPoint& earlier);

/// Gives each root of a point the number of the state of the earlier point that it continues: the one of largest
/// overlap, each state once. Roots without one have the number 0.
/// @param warn  hears of roots that have less than half of their state
SectorObserver continued_states(const CiConfig& config, const EarlierPoint& earlier,
                                std::function<void(std::string)> warn);

}  // namespace cisolve
