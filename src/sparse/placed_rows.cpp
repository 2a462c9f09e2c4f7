// SPDX-License-Identifier: MIT
#include "sparse/placed_rows.hpp"

#include <algorithm>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/column_sort.hpp"

namespace cisolve {
namespace {

/// Hands rows on with places in place of rows and columns.
class PlacingSink final : public NumberedRowSink {
public:
  PlacingSink(std::span<const ColumnIndex> places, NumberedRowSink& sink)
      : places_(places), sink_(sink), sort_(std::ssize(places)) {}

  void row(const NumberedRow& row) override {
    if (row.columns.size() != row.numbers.size() || row.general_columns.size() != row.general_values.size()) {
      throw DimensionError("row source: a row has unlike numbers of columns and values");
    }
    elements_.resize(row.columns.size());
    for (std::size_t at = 0; at < row.columns.size(); ++at) {
      elements_[at] = (place_of_column(row.columns[at]) << 32) | row.numbers[at];
    }
    sort_.sort(elements_);
    columns_.resize(elements_.size());
    numbers_.resize(elements_.size());
    for (std::size_t at = 0; at < elements_.size(); ++at) {
      columns_[at] = static_cast<ColumnIndex>(elements_[at] >> 32);
      numbers_[at] = static_cast<ValueNumber>(elements_[at]);
    }
    general_.resize(row.general_columns.size());
    for (std::size_t at = 0; at < general_.size(); ++at) {
      general_[at] = (place_of_column(row.general_columns[at]) << 32) | at;
    }
    std::sort(general_.begin(), general_.end());
    general_columns_.resize(general_.size());
    general_values_.resize(general_.size());
    for (std::size_t at = 0; at < general_.size(); ++at) {
      general_columns_[at] = static_cast<ColumnIndex>(general_[at] >> 32);
      general_values_[at] = row.general_values[general_[at] & 0xffffffffU];
    }
    sink_.row({.index = places_[row.index],
               .columns = columns_,
               .numbers = numbers_,
               .general_columns = general_columns_,
               .general_values = general_values_,
               .num_unlisted = row.num_unlisted});
  }

private:
  std::uint64_t place_of_column(ColumnIndex column) const {
    if (column < 0 || column >= std::ssize(places_)) {
      throw DimensionError("row source: a column is out of range");
    }
    return static_cast<std::uint64_t>(places_[column]);
  }

  std::span<const ColumnIndex> places_;
  NumberedRowSink& sink_;
  ColumnSort sort_;
  std::vector<std::uint64_t> elements_;
  std::vector<std::uint64_t> general_;
  std::vector<ColumnIndex> columns_;
  std::vector<ValueNumber> numbers_;
  std::vector<ColumnIndex> general_columns_;
  std::vector<double> general_values_;
};

}  // namespace

PlacedRows::PlacedRows(const NumberedRowSource& rows, std::span<const std::int32_t> order)
    : rows_(rows), order_(order), places_(order.size()) {
  if (std::ssize(order) != rows.num_rows() || rows.num_rows() != rows.num_columns())
    throw DimensionError("an order of rows has another length");
  std::fill(places_.begin(), places_.end(), -1);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::int32_t row = order[place];
    if (row < 0 || row >= std::ssize(order) || places_[row] >= 0) {
      throw DimensionError("an order of rows is not a permutation");
    }
    places_[row] = static_cast<ColumnIndex>(place);
  }
}

void PlacedRows::fill(RowRange range, NumberedRowSink& sink) const {
  PlacingSink placing({places_.data(), places_.size()}, sink);
  rows_.fill_rows(order_.subspan(range.first, range.size()), placing);
}

}  // namespace cisolve
