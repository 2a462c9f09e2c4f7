// SPDX-License-Identifier: MIT
#include "cisolve/sparse/row_source.hpp"

#include <algorithm>

#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

namespace {

/// Hands rows on up to their diagonals.
class LowerSink final : public RowSink {
public:
  explicit LowerSink(RowSink& sink) : sink_(sink) {}

  void row(const MatrixRow& row) override {
    const auto end = std::ranges::upper_bound(row.columns, static_cast<ColumnIndex>(row.index));
    const auto length = static_cast<std::size_t>(end - row.columns.begin());
    const auto general = std::ranges::lower_bound(row.general, static_cast<std::int32_t>(length));
    sink_.row({row.index, row.columns.first(length), row.values.first(length),
               row.general.first(static_cast<std::size_t>(general - row.general.begin()))});
  }

private:
  RowSink& sink_;
};

}  // namespace

void RowSource::fill_lower(RowRange range, RowSink& sink) const {
  LowerSink lower(sink);
  fill(range, lower);
}

std::unique_ptr<const NumberedRowSource> RowSource::numbered() const { return nullptr; }

Array<std::int32_t> RowSource::local_order() const { return {}; }

}  // namespace cisolve
