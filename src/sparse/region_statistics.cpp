// SPDX-License-Identifier: MIT
#include "cisolve/sparse/region_statistics.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

double share_of_zeros(std::int64_t nonzeros, std::int64_t rows, std::int64_t columns) {
  if (rows == 0 || columns == 0) return std::numeric_limits<double>::quiet_NaN();
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
  if (reference_dimension < 0 || reference_dimension > source.num_columns()) {
    throw DimensionError("RegionCounter: the reference dimension is not within the matrix");
  }
  counts_ = Array<Counts>(source.num_rows());
  std::fill(counts_.begin(), counts_.end(), Counts{0, 0});
}

/// How many of a row's ascending columns belong to the reference region.
std::int32_t RegionCounter::count_left(std::span<const ColumnIndex> columns) const {
  const auto left = std::lower_bound(columns.begin(), columns.end(), reference_dimension_);
  return static_cast<std::int32_t>(left - columns.begin());
}

void RegionCounter::note(const MatrixRow& row) const {
  const std::int32_t left = count_left(row.columns);
  counts_[row.index] = {left, static_cast<std::int32_t>(row.columns.size()) - left};
}

void RegionCounter::note(const NumberedRow& row) const {
  const std::int32_t left = count_left(row.columns) + count_left(row.general_columns);
  counts_[row.index] = {left,
                        static_cast<std::int32_t>(row.columns.size() + row.general_columns.size()) - left};
}

/// Notes rows on their way to another sink.
template <class Sink, class Row>
class RegionCounter::Counting final : public Sink {
public:
  Counting(const RegionCounter& owner, Sink& next) : owner_(owner), next_(next) {}
  void row(const Row& row) override {
    owner_.note(row);
    next_.row(row);
  }

private:
  const RegionCounter& owner_;
  Sink& next_;
};

void RegionCounter::fill(RowRange range, RowSink& sink) const {
  Counting<RowSink, MatrixRow> counting(*this, sink);
  source_.fill(range, counting);
}

class RegionCounter::Numbered final : public NumberedRowSource {
public:
  Numbered(const RegionCounter& owner, std::unique_ptr<const NumberedRowSource> rows)
      : owner_(owner), rows_(std::move(rows)) {}

  std::int64_t num_rows() const override { return rows_->num_rows(); }
  std::int64_t num_columns() const override { return rows_->num_columns(); }
  std::span<const double> magnitudes() const override { return rows_->magnitudes(); }
  void fill(RowRange range, NumberedRowSink& sink) const override {
    Counting<NumberedRowSink, NumberedRow> counting(owner_, sink);
    rows_->fill(range, counting);
  }
  void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const override {
    Counting<NumberedRowSink, NumberedRow> counting(owner_, sink);
    rows_->fill_rows(rows, counting);
  }

private:
  const RegionCounter& owner_;
  std::unique_ptr<const NumberedRowSource> rows_;
};

std::unique_ptr<const NumberedRowSource> RegionCounter::numbered() const {
  auto rows = source_.numbered();
  if (!rows) return nullptr;
  return std::make_unique<Numbered>(*this, std::move(rows));
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
