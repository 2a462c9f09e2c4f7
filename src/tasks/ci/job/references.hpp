// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// What the references are chosen for.
struct ReferenceProblem {
  const Integrals& integrals;  ///< active
  int num_alpha;
  int num_beta;
  int irrep;                                ///< zero-based; any_irrep: none was asked for
  const ActiveIntegrals* active = nullptr;  ///< needed for references from a file
  /// Over CSFs the occupations alone matter: where none can have the Ms asked for, the lowest Ms will do.
  bool occupations_only = false;
};

/// The reference determinants of a choice, in order: as listed; a CAS by alpha, beta; from a file by
/// descending weight of the configuration.
/// @throws InputError naming space.reference
std::vector<Determinant<most_string_words>> make_references(const ReferenceChoice& choice,
                                                            const ReferenceProblem& problem);

/// The determinant of lowest diagonal energy among `start` and its single and double replacements
/// (same Ms; same irrep as `start` if one was asked for). Energies within 1e-8 hartree tie: `start`
/// first, then the smaller alpha string, then the smaller beta string.
Determinant<most_string_words> best_replacement(const ReferenceProblem& problem,
                                                const Determinant<most_string_words>& start);

}  // namespace cisolve
