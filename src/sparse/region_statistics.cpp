// SPDX-License-Identifier: MIT
#include "cisolve/sparse/region_statistics.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

double share_of_zeros(std::int64_t nonzeros, std::int64_t rows, std::int64_t columns) {
  if (rows == 0 || columns == 0) return 0.0;
  return 1.0 - static_cast<double>(nonzeros) / (static_cast<double>(rows) * static_cast<double>(columns));
}

/// columns[first .. last) ascend: how many are left of `bound`.
std::int64_t count_below(const Array<ColumnIndex>& columns, std::int64_t first, std::int64_t last,
                         std::int64_t bound) {
  const ColumnIndex* begin = columns.data() + first;
  return std::lower_bound(begin, columns.data() + last, bound) - begin;
}

/// @param left_of  nonzeros of row i left of the boundary
template <class LeftOf>
RegionStatistics collect(std::int64_t num_rows, std::int64_t reference_dimension, std::int64_t nonzeros,
                         const LeftOf& left_of) {
  if (reference_dimension < 0 || reference_dimension > num_rows) {
    throw DimensionError("region_statistics: the reference dimension is not within the matrix");
  }
  std::int64_t reference = 0;
#pragma omp parallel for schedule(static) reduction(+ : reference)
  for (std::int64_t row = 0; row < num_rows; ++row) reference += left_of(row);
  return {num_rows, reference_dimension, reference, nonzeros - reference};
}

}  // namespace

double RegionStatistics::reference_sparsity() const noexcept {
  return share_of_zeros(reference_nonzeros, num_rows, reference_dimension);
}

double RegionStatistics::expansion_sparsity() const noexcept {
  return share_of_zeros(expansion_nonzeros, num_rows, num_rows - reference_dimension);
}

double RegionStatistics::sparsity() const noexcept {
  return share_of_zeros(reference_nonzeros + expansion_nonzeros, num_rows, num_rows);
}

RegionStatistics region_statistics(const CsrMatrix& a, std::int64_t reference_dimension) {
  return collect(a.num_rows, reference_dimension, a.num_nonzeros(), [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    return count_below(a.columns, a.offsets[at], a.offsets[at + 1], reference_dimension);
  });
}

RegionStatistics region_statistics(const HybridMatrix& a, std::int64_t reference_dimension) {
  return collect(a.num_rows, reference_dimension, a.num_nonzeros(), [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    const std::int64_t ell = row * a.ell_stride;
    return count_below(a.ell_columns, ell, ell + std::min(a.row_counts[at], a.ell_width),
                       reference_dimension) +
           count_below(a.tail_columns, a.tail_offsets[at], a.tail_offsets[at + 1], reference_dimension);
  });
}

}  // namespace cisolve
