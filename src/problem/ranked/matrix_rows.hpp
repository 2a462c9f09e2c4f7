// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>

#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/sparse/row_shares.hpp"

namespace cisolve {

/// The rows of a matrix, of which the ranks of a process each take their own: an order of them is found once for all, and
/// where the nonzeros are is counted.
class MatrixRows final : public RowSource {
public:
  /// @param source               must outlive it
  /// @param reference_dimension  see RegionCounter
  MatrixRows(const RowSource& source, std::int64_t reference_dimension)
      : counted_(source, reference_dimension) {}

  std::int64_t num_rows() const override { return counted_.num_rows(); }
  std::int64_t num_columns() const override { return counted_.num_columns(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    counted_.count(range, lengths);
  }
  void fill(RowRange range, RowSink& sink) const override { counted_.fill(range, sink); }
  std::unique_ptr<const NumberedRowSource> numbered() const override { return counted_.numbered(); }
  bool rows_are_independent() const override { return counted_.rows_are_independent(); }

  Array<std::int32_t> local_order() const override {
    std::call_once(ordering_, [&] { order_ = counted_.local_order(); });
    Array<std::int32_t> copy(order_.size());
    std::ranges::copy(order_, copy.begin());
    return copy;
  }

  /// Of the rows that were taken.
  RegionStatistics statistics() const { return counted_.statistics(); }

private:
  RegionCounter counted_;
  mutable std::once_flag ordering_;
  mutable Array<std::int32_t> order_;
};

/// What ranks store of a matrix, together.
struct StoredSums {
  StoredSizes sizes;
  RegionStatistics regions;

  void add(const StoredSums& other) {
    sizes.add(other.sizes);
    regions.num_rows = std::max(regions.num_rows, other.regions.num_rows);
    regions.reference_dimension = std::max(regions.reference_dimension, other.regions.reference_dimension);
    regions.reference_nonzeros += other.regions.reference_nonzeros;
    regions.expansion_nonzeros += other.regions.expansion_nonzeros;
  }
};

}  // namespace cisolve
