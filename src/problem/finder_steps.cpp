// SPDX-License-Identifier: MIT
#include "problem/finder_steps.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/eigenspace_filter.hpp"

namespace cisolve {

ModelStart find_start(const Basis& basis, const FinderPart& part, const ChooseModelRows& choose,
                      const std::optional<SpinStructure>& spin, int num_roots, std::int64_t most_rows) {
  ModelRowsConfig rows;
  if (most_rows > 0) {  // references beyond that are left out, too
    constexpr std::int64_t room_for_configurations = 4;
    rows.minimum = std::min(rows.minimum, most_rows);
    rows.maximum = std::min(rows.maximum, room_for_configurations * most_rows);
  }
  constexpr std::int64_t least_per_root = 2;
  constexpr std::int64_t least = 8;
  rows.minimum = std::max(rows.minimum, least_per_root * num_roots + least);
  rows.maximum = std::max(rows.maximum, rows.minimum);
  rows.may_cut = !spin;
  ModelStart start{part.make_model_space(choose(rows)), {}};
  start.coefficients =
      spin ? eigenvectors_within(start.model, basis.s_squared_block(start.model.rows), spin->wanted)
           : start.model.vectors;
  return start;
}

DiagonalFacts facts_of(std::span<const double> diagonal) {
  const DiagonalFacts none;
  double lowest = none.lowest, highest = none.highest;
  std::int64_t zeros = 0;
#pragma omp parallel for schedule(static) reduction(min : lowest) reduction(max : highest) reduction(+ : zeros)
  for (const double element : diagonal) {
    lowest = std::min(lowest, element);
    highest = std::max(highest, element);
    zeros += element == 0.0 ? 1 : 0;
  }
  return {lowest, highest, zeros};
}

DiagonalFacts facts_of_all(const Communicator& ranks, const DiagonalFacts& mine) {
  DiagonalFacts all;
  for (const DiagonalFacts& one : all_values(ranks, mine)) {
    all.lowest = std::min(all.lowest, one.lowest);
    all.highest = std::max(all.highest, one.highest);
    all.zeros += one.zeros;
  }
  return all;
}

HamiltonianSummary describe_direct(const DirectPlan& plan, std::int64_t zeros) {
  HamiltonianSummary summary;
  summary.storage = direct_storage;
  summary.rows = plan.product->size();
  summary.nonzeros = plan.sizes.nonzeros - zeros;
  summary.bytes = plan.placement.matrix_bytes;
  summary.csr_bytes = plan.sizes.csr_bytes - 12 * zeros;
  const auto rows = static_cast<double>(summary.rows);
  summary.sparsity = 1.0 - static_cast<double>(summary.nonzeros) / (rows * rows);
  // Nobody looked.
  summary.reference_sparsity = summary.expansion_sparsity = std::numeric_limits<double>::quiet_NaN();
  summary.device = plan.placement.device;
  summary.ranks = plan.placement.ranks;
  return summary;
}

HamiltonianSummary describe_stored(const StoredPlan& plan, const StoredSizes& sizes,
                                   const RegionStatistics& regions) {
  HamiltonianSummary summary;
  summary.storage = plan.format->name;
  summary.rows = regions.num_rows;
  summary.nonzeros = plan.sizes.nonzeros;
  summary.bytes = sizes.bytes;
  summary.ell_width = sizes.ell_width;
  summary.tail_nonzeros = sizes.tail_nonzeros;
  summary.csr_bytes = plan.sizes.csr_bytes;
  summary.ell_bytes = plan.sizes.ell_bytes;
  summary.reference_sparsity = regions.reference_sparsity();
  summary.expansion_sparsity = regions.expansion_sparsity();
  summary.sparsity = regions.sparsity();
  summary.device = plan.placement.device;
  summary.ranks = plan.placement.ranks;
  return summary;
}

int columns_of(std::int64_t rows, std::span<const double> x, std::span<const double> y) {
  const auto columns = rows == 0 ? 0 : static_cast<int>(std::ssize(x) / rows);
  if (x.size() != y.size() || columns * rows != std::ssize(x))
    throw DimensionError("RootFinder: vectors must have one element for each row");
  return columns;
}

}  // namespace cisolve
