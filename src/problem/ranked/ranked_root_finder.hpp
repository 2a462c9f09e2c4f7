// SPDX-License-Identifier: MIT
#pragma once

#include "problem/ranked/ranked_finder.hpp"

namespace cisolve {

/// Finds roots on several ranks. Whoever calls it sees whole vectors. Where there are other processes, it tells them what
/// to do; see serve_ranks.
/// @param building  of a matrix, where one is stored; a request to stop is heard by one process that is alone
std::unique_ptr<RootFinder> make_ranked_root_finder(const Problem& problem, Plan plan, const MakeShare& make,
                                                    const BuildOptions& building);

}  // namespace cisolve
