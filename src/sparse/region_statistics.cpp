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

RegionCounter::RegionCounter(const RowSource& source, std::int64_t reference_dimension)
    : source_(source), reference_dimension_(reference_dimension) {
  if (reference_dimension < 0 || reference_dimension > source.num_rows()) {
    throw DimensionError("RegionCounter: the reference dimension is not within the matrix");
  }
  counts_ = Array<Counts>(static_cast<std::size_t>(source.num_rows()));
  std::fill(counts_.begin(), counts_.end(), Counts{0, 0});
}

void RegionCounter::fill(RowRange range, RowSink& sink) const {
  class Counting final : public RowSink {
  public:
    Counting(const RegionCounter& owner, RowSink& next) : owner_(owner), next_(next) {}
    void row(const MatrixRow& row) override {
      const auto& columns = row.columns;
      const auto left = std::lower_bound(columns.begin(), columns.end(), owner_.reference_dimension_);
      owner_.counts_[static_cast<std::size_t>(row.index)] = {static_cast<std::int32_t>(left - columns.begin()),
                                                             static_cast<std::int32_t>(columns.end() - left)};
      next_.row(row);
    }

  private:
    const RegionCounter& owner_;
    RowSink& next_;
  };
  Counting counting(*this, sink);
  source_.fill(range, counting);
}

RegionStatistics RegionCounter::statistics() const {
  RegionStatistics result{num_rows(), reference_dimension_, 0, 0};
  for (const Counts& row : counts_) {
    result.reference_nonzeros += row.reference;
    result.expansion_nonzeros += row.expansion;
  }
  return result;
}

}  // namespace cisolve
