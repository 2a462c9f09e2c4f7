// SPDX-License-Identifier: MIT
#pragma once

#include "tasks/ci/job/references.hpp"

namespace cisolve {

/// The determinants of a CAS with the Ms of the problem, by alpha string, then beta string: of its irrep, or of all
/// that the CAS has; where all of it will do, the first of them and what it is.
/// @throws InputError       naming space.reference: orbitals or electrons that do not fit
/// @throws EmptySpaceError  the CAS has none of that irrep or Ms
References make_cas_references(const CasReference& cas, const ReferenceProblem& problem);

/// The orbitals of a CAS alone, zero-based, ascending.
/// @throws InputError  as make_cas_references
std::vector<int> cas_orbitals(const CasReference& cas, const ReferenceProblem& problem);

/// All strings of so many electrons in the given orbitals, ascending.
std::vector<WideString> strings_in(const std::vector<int>& orbitals, int electrons);

}  // namespace cisolve
