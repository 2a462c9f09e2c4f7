// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "cisolve/problem/root_finder.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/sparse/row_shares.hpp"
#include "problem/finder_part.hpp"

// What all root finders do alike, on whatever memory and however many ranks.

namespace cisolve {

/// What searches from scratch begin with.
struct ModelStart {
  ModelSpace model;
  Matrix coefficients;  ///< over its rows, of the wanted spin: best first, a column each
};

/// Chooses the rows of a model space and diagonalises H in them.
/// @param diagonal   of H, all rows
/// @param spin       that is told from others
/// @param most_rows  as RootFinder::limit_model_space has it; 0: no limit
ModelStart find_start(const Basis& basis, const FinderPart& part, std::span<const double> diagonal,
                      const std::optional<SpinStructure>& spin, int num_roots, std::int64_t most_rows);

/// The lowest and the highest element.
/// @param diagonal  at least one
std::pair<double, double> range_of(std::span<const double> diagonal);

/// What is known of H where it is applied string by string.
/// @param diagonal  of H, all rows
HamiltonianSummary describe_direct(const DirectPlan& plan, std::span<const double> diagonal);

/// What is known of H where it is stored.
/// @param sizes    of it, by all ranks
/// @param regions  of all its rows
HamiltonianSummary describe_stored(const StoredPlan& plan, const StoredSizes& sizes,
                                   const RegionStatistics& regions);

/// Columns of vectors that a caller gives, x and as many y.
/// @throws DimensionError  they are no whole vectors
int columns_of(std::int64_t rows, std::span<const double> x, std::span<const double> y);

}  // namespace cisolve
