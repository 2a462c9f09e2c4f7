// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "cisolve/sparse/numbered_rows.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Columns by an interval of them.
struct ColumnPart {
  RowRange interval;
  bool is_inside = true;  ///< those of the interval; else all others
  bool from_zero =
      false;  ///< those of the interval are numbered from its first one on: that is all of x that there is
};

/// Consecutive rows of another source, numbered from 0, with its columns or a part of them: what a rank has of a
/// matrix. Its own columns are the near part, whose product needs no other rank's part of x; the rest is the far part.
///
/// To count a part of the columns rows are made. Who needs the lengths of both parts counts one of them: a far row has
/// what the whole has and the near one has not.
///
/// A near part whose columns are numbered from zero is a square matrix, which keeps the local order of the source.
class RangedRows final : public RowSource {
public:
  /// @param source   must outlive it
  /// @param rows     of the source
  /// @param columns  none: all
  /// @throws DimensionError if rows or columns are not within the source, or columns outside the interval are to be
  ///         numbered from zero
  RangedRows(const RowSource& source, RowRange rows, std::optional<ColumnPart> columns = std::nullopt);

  std::int64_t num_rows() const override { return rows_.size(); }
  std::int64_t num_columns() const override;
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;
  std::unique_ptr<const NumberedRowSource> numbered() const override;
  Array<std::int32_t> local_order() const override;
  bool rows_are_independent() const override { return source_.rows_are_independent(); }

private:
  class Numbered;

  RowRange of_source(RowRange range) const { return {rows_.first + range.first, rows_.first + range.last}; }

  const RowSource& source_;
  RowRange rows_;
  std::optional<ColumnPart> columns_;
};

}  // namespace cisolve
