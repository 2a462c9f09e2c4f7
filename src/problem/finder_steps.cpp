// SPDX-License-Identifier: MIT
#include "problem/finder_steps.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/eigenspace_filter.hpp"

namespace cisolve {

ModelStart find_start(const Basis& basis, const FinderPart& part, std::span<const double> diagonal,
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
  ModelStart start{part.make_model_space(basis.model_rows(diagonal, rows)), {}};
  start.coefficients =
      spin ? eigenvectors_within(start.model, basis.s_squared_block(start.model.rows), spin->wanted)
           : start.model.vectors;
  return start;
}

std::pair<double, double> range_of(std::span<const double> diagonal) {
  double lowest = diagonal.front();
  double highest = lowest;
#pragma omp parallel for schedule(static) reduction(min : lowest) reduction(max : highest)
  for (const double element : diagonal) {
    lowest = std::min(lowest, element);
    highest = std::max(highest, element);
  }
  return {lowest, highest};
}

HamiltonianSummary describe_direct(const DirectPlan& plan, std::span<const double> diagonal) {
  HamiltonianSummary summary;
  summary.storage = direct_storage;
  summary.rows = plan.product->size();
  std::int64_t zeros = 0;  // which the plan did not know
#pragma omp parallel for schedule(static) reduction(+ : zeros)
  for (std::size_t row = 0; row < diagonal.size(); ++row) zeros += diagonal[row] == 0.0 ? 1 : 0;
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
