// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "cisolve/problem/definition_rows.hpp"

// What rows over determinants and over CSFs share.

namespace cisolve::definition {

using Element = DefinitionRows::Element;

/// What steps of a row take, nanoseconds: looking at a string or configuration, and an element of H between
/// determinants with a look-up.
inline constexpr double of_look = 1.5, of_element = 60.0;

/// Adds an element of H, unless it vanishes or the threshold leaves it out.
inline void add_element(std::int64_t column, double value, double threshold, std::vector<Element>& elements) {
  constexpr double rounding = 1e-12;  // hartree, of an element
  if (value == 0.0) return;
  const double excess = std::abs(value) - threshold;
  if (threshold > 0.0 && excess <= -rounding) return;
  elements.push_back({column, value, threshold > 0.0 && excess < rounding});
}

template <int Words>
std::unique_ptr<DefinitionRows> determinant_rows(const Integrals& integrals, const BasisSummary& summary,
                                                 const FunctionList& functions, double threshold);

template <int Words>
std::unique_ptr<DefinitionRows> csf_rows(const Integrals& integrals, const BasisSummary& summary,
                                         const FunctionList& functions, double threshold);

}  // namespace cisolve::definition
