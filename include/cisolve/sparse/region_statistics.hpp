// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

/// Nonzeros in the left columns, those of the reference space, and in the rest, the expansion.
struct RegionStatistics {
  std::int64_t num_rows = 0;
  std::int64_t reference_dimension = 0;
  std::int64_t reference_nonzeros = 0;
  std::int64_t expansion_nonzeros = 0;

  /// Share of the elements of a region that are zero, in [0, 1]; NaN for a region without elements.
  double reference_sparsity() const noexcept;
  double expansion_sparsity() const noexcept;
  double sparsity() const noexcept;
};

/// The rows of another source, which it looks at on their way into a storage format, whichever that is:
/// afterwards the regions are known without another pass over the matrix. Holds 8 bytes a row.
class RegionCounter final : public RowSource {
public:
  /// @param source               must outlive it
  /// @param reference_dimension  columns of the reference region, 0 .. columns
  /// @throws DimensionError if it is out of range
  RegionCounter(const RowSource& source, std::int64_t reference_dimension);

  std::int64_t num_rows() const override { return source_.num_rows(); }
  std::int64_t num_columns() const override { return source_.num_columns(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    source_.count(range, lengths);
  }

  /// Hands over rows and counts them. Each call for a row replaces what was known of it: formats may take as
  /// many passes as they like, but no row from two threads at once.
  void fill(RowRange range, RowSink& sink) const override;
  std::unique_ptr<const NumberedRowSource> numbered() const override;
  Array<std::int32_t> local_order() const override { return source_.local_order(); }
  bool rows_are_independent() const override { return source_.rows_are_independent(); }

  /// Statistics of the rows that have passed.
  RegionStatistics statistics() const;

private:
  class Numbered;
  template <class Sink, class Row>
  class Counting;

  std::int32_t count_left(std::span<const ColumnIndex> columns) const;
  void note(const MatrixRow& row) const;
  void note(const NumberedRow& row) const;
  const RowSource& source_;
  std::int64_t reference_dimension_;
  struct Counts {
    std::int32_t reference;
    std::int32_t expansion;
  };
  mutable Array<Counts> counts_;
};

}  // namespace cisolve
