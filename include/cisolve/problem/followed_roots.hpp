// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cisolve {

/// Of some roots those that continue earlier ones: the largest overlap first.
/// @param roots, before  [rows x num_roots], [rows x at least count], column-major
/// @return numbers of roots, one for each of the earlier
std::vector<int> followed_roots(std::span<const double> roots, int num_roots, std::span<const double> before,
                                std::size_t count, std::size_t rows);

}  // namespace cisolve
