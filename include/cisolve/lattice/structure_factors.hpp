// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/lattice/cluster.hpp"

namespace cisolve {

/// The mean of a function of two sites over all translations: f(d) = N^-1 sum_i f(i + d, i) for each displacement d, numbered
/// as the site that it leads to from site 0.
/// @param pairs  [sites x sites]
/// @pre the cluster is translation invariant
std::vector<double> translation_average(const Cluster& cluster, const Matrix& pairs);

/// S(q) = N^-1 sum_ij cos q.(R_i - R_j) f(i, j) of a symmetric function of two sites, for each wave vector.
/// @param pairs    [sites x sites]
/// @param vectors  in units of pi
/// @pre the cluster is no graph
std::vector<double> structure_factor(const Cluster& cluster, const Matrix& pairs,
                                     std::span<const std::array<double, 2>> vectors);

}  // namespace cisolve
