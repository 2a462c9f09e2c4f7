// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

/// The rows of a square matrix in another order, in which rows and columns are named by their places.
class PlacedRows final : public NumberedRowSource {
public:
  /// @param rows   must outlive this object
  /// @param order  row at each place; must outlive it, too
  /// @throws DimensionError unless order is a permutation of the rows, which are as many as the columns
  PlacedRows(const NumberedRowSource& rows, std::span<const std::int32_t> order);

  std::int64_t num_rows() const override { return rows_.num_rows(); }
  std::span<const double> magnitudes() const override { return rows_.magnitudes(); }
  void fill(RowRange range, NumberedRowSink& sink) const override;

private:
  const NumberedRowSource& rows_;
  std::span<const std::int32_t> order_;
  Array<ColumnIndex> places_;  ///< of the rows
};

}  // namespace cisolve
