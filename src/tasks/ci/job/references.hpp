// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/ci/job/configuration_search.hpp"

namespace cisolve {

/// What the references are chosen for.
struct ReferenceProblem {
  const Integrals& integrals;  ///< active
  int num_alpha;
  int num_beta;
  int irrep;                                ///< zero-based; any_irrep: none was asked for
  int two_s;                                ///< 2 S of the states wanted; 2 |Ms| where every spin is
  const ActiveIntegrals* active = nullptr;  ///< needed for references from a file
  /// Over CSFs the occupations alone matter: where none can have the Ms asked for, the lowest Ms will do.
  bool occupations_only = false;
  bool whole_cas = false;  ///< nothing lies beyond the references: a CAS needn't be listed
  std::function<bool(const WideConfiguration&)> keeps_bounds = {};  ///< null: there are none
  std::vector<std::string> names = {};  ///< of the active orbitals: labels, or else numbers
  PointGroup point_group = {};
  bool spinors = false;  ///< an orbital holds one electron, and all of them are among the alpha ones

  int most_in_orbital() const { return spinors ? 1 : 2; }
  int num_electrons() const { return num_alpha + num_beta; }
};

/// References and what they are, in words, where their occupations don't say it: "5b1 -> 2a2 of the first orbitals".
struct References {
  std::vector<Determinant<most_string_words>> determinants;
  std::string origin = {};
  std::vector<int> cas = {};  ///< zero-based orbitals of a CAS
  /// All determinants of a CAS, without limits of a RAS, where they needn't be listed: the first alone is.
  std::optional<ActiveSpace<most_string_words>> whole_cas = {};
};

/// The reference determinants of a choice, in order: as listed; a CAS by alpha, beta; from a file by
/// descending weight of the configuration.
/// @throws InputError naming space.reference
/// @throws EmptySpaceError  a CAS has none of that irrep or Ms
References make_references(const ReferenceChoice& choice, const ReferenceProblem& problem);

/// What a search for configurations may take: the sector's irrep and spin.
ConfigurationWish wish_of(const ReferenceProblem& problem);

}  // namespace cisolve
