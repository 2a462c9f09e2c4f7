// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve::report {

/// How configurations are shown: those of few orbitals by their occupation, too.
struct ConfigurationStyle {
  std::size_t occupied = 0;      ///< orbitals up to the last that is occupied anywhere
  bool with_occupations = true;  ///< what is replaced says the same in less room where orbitals are many
};

ConfigurationStyle style_of(const CiResult& result);

/// Determinants that differ by the spin of the one electron that is replaced share a line, with both weights and the
/// coefficient of that whose alpha electron is replaced.
std::vector<LeadingConfiguration> merged_by_spin(const std::vector<LeadingConfiguration>& leading);

}  // namespace cisolve::report
