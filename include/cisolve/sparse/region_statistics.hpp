// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"

namespace cisolve {

/// Nonzeros in the left columns, those of the reference space, and in the rest, the expansion.
struct RegionStatistics {
  std::int64_t num_rows = 0;
  std::int64_t reference_dimension = 0;
  std::int64_t reference_nonzeros = 0;
  std::int64_t expansion_nonzeros = 0;

  /// Share of the elements of a region that are zero, in [0, 1]; 0 for a region without elements.
  double reference_sparsity() const noexcept;
  double expansion_sparsity() const noexcept;
  double sparsity() const noexcept;
};

/// One binary search per row of the finished matrix.
/// @param reference_dimension  columns of the reference region, 0 .. num_rows
/// @throws DimensionError if it is out of range
RegionStatistics region_statistics(const CsrMatrix& a, std::int64_t reference_dimension);
RegionStatistics region_statistics(const HybridMatrix& a, std::int64_t reference_dimension);

}  // namespace cisolve
