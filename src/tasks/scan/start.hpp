// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

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

/// Its vectors, for the solver: each orbital here is matched with the one there that it continues, and the vectors
/// are written in those here, signs and order of orbitals included. A root of which more than half would be lost
/// is left out; the description says how many are carried, or why none is. Orbitals of files are taken to
/// correspond by number.
/// @param config   of the point that begins
/// @param earlier  must outlive the source
StartVectorSource carried_vectors(const CiConfig& config, const EarlierPoint& earlier);

}  // namespace cisolve
