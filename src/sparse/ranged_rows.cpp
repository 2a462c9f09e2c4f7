// SPDX-License-Identifier: MIT
#include "cisolve/sparse/ranged_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Places of a row's ascending columns that lie in the interval.
RowRange places_of(std::span<const ColumnIndex> columns, const RowRange& interval) {
  const auto first = std::ranges::lower_bound(columns, interval.first);
  const auto last = std::lower_bound(first, columns.end(), interval.last);
  return {first - columns.begin(), last - columns.begin()};
}

/// A part of the elements of a list.
template <class T>
class Kept {
public:
  /// @return  valid until the next call, and as long as `all`
  std::span<const T> operator()(std::span<const T> all, const RowRange& inside, bool is_inside) {
    const auto first = static_cast<std::size_t>(inside.first), last = static_cast<std::size_t>(inside.last);
    if (is_inside) return all.subspan(first, last - first);
    if (first == last) return all;
    kept_.assign(all.begin(), all.begin() + inside.first);
    kept_.insert(kept_.end(), all.begin() + inside.last, all.end());
    return kept_;
  }

private:
  std::vector<T> kept_;
};

/// Columns of a part: those that are kept of all, by the numbers that they have there.
class PartColumns {
public:
  /// @return  valid until the next call, and as long as `all`
  std::span<const ColumnIndex> operator()(std::span<const ColumnIndex> all, const RowRange& inside,
                                          const ColumnPart& part) {
    const std::span<const ColumnIndex> kept = kept_(all, inside, part.is_inside);
    if (!part.from_zero) return kept;
    numbered_.assign(kept.begin(), kept.end());
    for (ColumnIndex& column : numbered_) column -= static_cast<ColumnIndex>(part.interval.first);
    return numbered_;
  }

private:
  Kept<ColumnIndex> kept_;
  std::vector<ColumnIndex> numbered_;
};

/// Hands rows on with their numbers in the range and a part of their columns.
class RangedSink final : public RowSink {
public:
  RangedSink(std::int64_t first_row, const std::optional<ColumnPart>& part, RowSink& next)
      : first_row_(first_row), part_(part), next_(next) {}

  void row(const MatrixRow& row) override {
    const std::int64_t index = row.index - first_row_;
    if (!part_) {
      next_.row({index, row.columns, row.values, row.general});
      return;
    }
    if (row.columns.size() != row.values.size())
      throw DimensionError("row source: a row has unlike numbers of columns and values");
    const RowRange inside = places_of(row.columns, part_->interval);
    keep_general(row.general, inside);
    next_.row({index, columns_(row.columns, inside, *part_), values_(row.values, inside, part_->is_inside),
               general_});
  }

private:
  void keep_general(std::span<const std::int32_t> general, const RowRange& inside) {
    general_.clear();
    for (const std::int32_t place : general) {
      if ((place >= inside.first && place < inside.last) != part_->is_inside) continue;
      const std::int64_t left_out = part_->is_inside       ? inside.first
                                    : place < inside.first ? 0
                                                           : inside.size();
      general_.push_back(static_cast<std::int32_t>(place - left_out));
    }
  }

  std::int64_t first_row_;
  const std::optional<ColumnPart>& part_;
  RowSink& next_;
  PartColumns columns_;
  Kept<double> values_;
  std::vector<std::int32_t> general_;
};

/// The same for numbered rows.
class RangedNumberedSink final : public NumberedRowSink {
public:
  RangedNumberedSink(std::int64_t first_row, const std::optional<ColumnPart>& part, NumberedRowSink& next)
      : first_row_(first_row), part_(part), next_(next) {}

  void row(const NumberedRow& row) override {
    NumberedRow kept = row;
    kept.index -= first_row_;
    if (part_) {
      if (row.columns.size() != row.numbers.size() || row.general_columns.size() != row.general_values.size())
        throw DimensionError("row source: a row has unlike numbers of columns and values");
      const bool is_inside = part_->is_inside;
      const RowRange inside = places_of(row.columns, part_->interval);
      kept.columns = columns_(row.columns, inside, *part_);
      kept.numbers = numbers_(row.numbers, inside, is_inside);
      const RowRange general_inside = places_of(row.general_columns, part_->interval);
      kept.general_columns = general_columns_(row.general_columns, general_inside, *part_);
      kept.general_values = general_values_(row.general_values, general_inside, is_inside);
      // Which of the general elements these are is not known: the most that it may be.
      kept.num_unlisted = std::min(row.num_unlisted, std::ssize(kept.general_columns));
    }
    next_.row(kept);
  }

private:
  std::int64_t first_row_;
  const std::optional<ColumnPart>& part_;
  NumberedRowSink& next_;
  PartColumns columns_, general_columns_;
  Kept<ValueNumber> numbers_;
  Kept<double> general_values_;
};

/// Notes how long rows are.
class LengthSink final : public RowSink {
public:
  explicit LengthSink(std::span<std::int64_t> lengths) : lengths_(lengths) {}
  void row(const MatrixRow& row) override {
    if (next_ == lengths_.size()) throw DimensionError("row source: there are more rows than were asked for");
    lengths_[next_++] = std::ssize(row.columns);
  }

private:
  std::span<std::int64_t> lengths_;
  std::size_t next_ = 0;
};

bool is_within(const RowRange& range, std::int64_t size) {
  return range.first >= 0 && range.first <= range.last && range.last <= size;
}

}  // namespace

RangedRows::RangedRows(const RowSource& source, RowRange rows, std::optional<ColumnPart> columns)
    : source_(source), rows_(rows), columns_(columns) {
  if (!is_within(rows, source.num_rows())) throw DimensionError("RangedRows: rows are not within the matrix");
  if (columns && !is_within(columns->interval, source.num_columns()))
    throw DimensionError("RangedRows: columns are not within the matrix");
  if (columns && columns->from_zero && !columns->is_inside)
    throw DimensionError("RangedRows: columns outside an interval have no numbers of their own");
}

std::int64_t RangedRows::num_columns() const {
  return columns_ && columns_->from_zero ? columns_->interval.size() : source_.num_columns();
}

Array<std::int32_t> RangedRows::local_order() const {
  const bool is_square = columns_ && columns_->from_zero && columns_->interval.first == rows_.first &&
                         columns_->interval.last == rows_.last;
  if (!is_square) return {};
  const Array<std::int32_t> all = source_.local_order();
  if (all.size() == 0) return {};
  Array<std::int32_t> own(static_cast<std::size_t>(rows_.size()));
  std::size_t place = 0;
  for (const std::int32_t row : all) {
    if (row >= rows_.first && row < rows_.last) own[place++] = row - static_cast<std::int32_t>(rows_.first);
  }
  return own;
}

void RangedRows::count(RowRange range, std::span<std::int64_t> lengths) const {
  if (!columns_) {
    source_.count(of_source(range), lengths);
    return;
  }
  LengthSink sink(lengths);
  fill(range, sink);
}

void RangedRows::fill(RowRange range, RowSink& sink) const {
  RangedSink ranged(rows_.first, columns_, sink);
  source_.fill(of_source(range), ranged);
}

class RangedRows::Numbered final : public NumberedRowSource {
public:
  Numbered(const RangedRows& owner, std::unique_ptr<const NumberedRowSource> rows)
      : owner_(owner), rows_(std::move(rows)) {}

  std::int64_t num_rows() const override { return owner_.num_rows(); }
  std::int64_t num_columns() const override { return owner_.num_columns(); }
  std::span<const double> magnitudes() const override { return rows_->magnitudes(); }
  void fill(RowRange range, NumberedRowSink& sink) const override {
    RangedNumberedSink ranged(owner_.rows_.first, owner_.columns_, sink);
    rows_->fill(owner_.of_source(range), ranged);
  }
  void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const override {
    std::vector<std::int32_t> of_source(rows.begin(), rows.end());
    for (std::int32_t& row : of_source) row += static_cast<std::int32_t>(owner_.rows_.first);
    RangedNumberedSink ranged(owner_.rows_.first, owner_.columns_, sink);
    rows_->fill_rows(of_source, ranged);
  }

private:
  const RangedRows& owner_;
  std::unique_ptr<const NumberedRowSource> rows_;
};

std::unique_ptr<const NumberedRowSource> RangedRows::numbered() const {
  auto rows = source_.numbered();
  if (!rows) return nullptr;
  return std::make_unique<Numbered>(*this, std::move(rows));
}

}  // namespace cisolve
