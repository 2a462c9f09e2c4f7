// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/problem/root_finder.hpp"
#include "cisolve/ranks/communicator.hpp"
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

/// Rows of a model space, as Basis::model_rows chooses them.
using ChooseModelRows = std::function<std::vector<std::int64_t>(const ModelRowsConfig&)>;

/// Chooses the rows of a model space and diagonalises H in them.
/// @param spin       that is told from others
/// @param most_rows  as RootFinder::limit_model_space has it; 0: no limit
ModelStart find_start(const Basis& basis, const FinderPart& part, const ChooseModelRows& choose,
                      const std::optional<SpinStructure>& spin, int num_roots, std::int64_t most_rows);

/// What is to be known of the diagonal of H, of all rows or of those that a rank has.
struct DiagonalFacts {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;  ///< hartree
  std::int64_t zeros = 0;
};

DiagonalFacts facts_of(std::span<const double> diagonal);

/// Of the rows of all ranks; they call it together.
DiagonalFacts facts_of_all(const Communicator& ranks, const DiagonalFacts& mine);

/// What is known of H where it is applied string by string.
/// @param zeros  on the diagonal, which the plan did not know
HamiltonianSummary describe_direct(const DirectPlan& plan, std::int64_t zeros);

/// What is known of H where it is stored.
/// @param sizes    of it, by all ranks
/// @param regions  of all its rows
HamiltonianSummary describe_stored(const StoredPlan& plan, const StoredSizes& sizes,
                                   const RegionStatistics& regions);

/// Columns of vectors that a caller gives, x and as many y.
/// @throws DimensionError  they are no whole vectors
int columns_of(std::int64_t rows, std::span<const double> x, std::span<const double> y);

}  // namespace cisolve
