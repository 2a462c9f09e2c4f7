// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/ci/job/integral_source.hpp"

namespace cisolve {

/// Orbitals that no determinant of excitation level 0 occupies, so that their integrals need not be made: the last of
/// those that are not frozen. The first 64, as many as a string of one word has, stay in any case, and what references
/// and limits name keeps its number. None at other levels, where orbitals are optimised, and where it is not known which
/// orbitals the references will have.
/// @param frozen  zero-based: the core and the virtual orbitals that the input freezes
/// @param names   of all orbitals
/// @returns zero-based numbers, ascending
std::vector<int> orbitals_left_out(const CiConfig& config, const IntegralSource& source,
                                   std::span<const int> frozen, std::span<const std::string> names);

}  // namespace cisolve
