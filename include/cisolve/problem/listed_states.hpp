// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cisolve/problem/functions.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// States over determinants, as files list them; CSFs are expanded.
template <int Words>
struct ListedStates {
  std::unique_ptr<Space<Words>> space;
  std::vector<double> vectors;  ///< [space->size() x states], column-major
};

/// States over functions that are listed one by one, such as those of a file, in determinants: CSFs of spin S are
/// expanded in determinants of Ms = S.
/// @param functions  at least one
/// @param irreps     zero-based, of the orbitals
/// @param vectors    each [functions.size]
/// @throws InputError      CSFs whose steps are not those of one spin
/// @throws DimensionError  sizes do not agree, or a determinant is listed twice
template <int Words>
ListedStates<Words> in_determinants(const FunctionView& functions, std::span<const int> irreps,
                                    std::span<const std::span<const double>> vectors);

}  // namespace cisolve
