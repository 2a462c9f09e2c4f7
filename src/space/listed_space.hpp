// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cisolve/space/space.hpp"

namespace cisolve {

/// A selection written out, in the order of files.
template <int Words>
struct ListedDeterminants {
  std::vector<Determinant<Words>> determinants;
  std::vector<std::int64_t> level_counts;  ///< level 0: the references in the space
};

/// Writes out the space of several references, see make_space. For each alpha string, the beta strings that may stand
/// beside it are collected by their distance to the references' beta strings: no pair of determinants is compared, and
/// nothing is sorted as a whole.
/// @throws DimensionError if there is no reference
template <int Words>
ListedDeterminants<Words> list_determinants(const SpaceSelection<Words>& selection);

template <int Words>
std::unique_ptr<ListSpace<Words>> make_list(const SpaceSelection<Words>& selection,
                                            ListedDeterminants<Words> listed);

}  // namespace cisolve
