// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/stored_matrix.hpp"

namespace cisolve {

/// A symmetric matrix that rows can be added to: of each row the elements up to the diagonal are stored, so that what is
/// there already stays as it is when the matrix grows, and takes half the memory of both triangles.
class GrowingMatrix final : public StoredMatrix {
public:
  /// Adds the rows num_rows(), num_rows() + 1, ... of a source, which has the earlier rows and columns, too.
  /// @throws DimensionError if the source has fewer rows, or 2^31 or more, or is not square; Interrupted;
  ///         std::bad_alloc; whatever the source throws. The matrix is then as it was
  void append(const RowSource& source, const BuildOptions& options = {});

  /// The matrix of some rows and the same columns.
  /// @param rows  ascending
  GrowingMatrix restricted_to(std::span<const std::int64_t> rows) const;

  std::string_view format() const override { return "symmetric"; }
  std::int64_t num_rows() const override { return num_rows_; }
  /// Of both triangles.
  std::int64_t num_nonzeros() const override { return 2 * stored_ - diagonal_; }
  std::int64_t bytes() const override;

  /// y = A x or y += A x with all threads. Rows are cut into parts, whose sums in both triangles are added up in
  /// order: the result does not depend on the number of threads.
  void multiply(ConstHostView x, HostView y, SpmvWorkspace& workspace,
                ProductUpdate update = ProductUpdate::assign) const override;
  void multiply_plainly(ConstHostView x, HostView y) const override;

  /// visit(column, value) for the stored elements of a row, columns ascending, the last at most the row itself.
  template <class Visit>
  void for_each_stored(std::int64_t row, const Visit& visit) const {
    const Segment& segment = segment_of(row);
    const std::size_t at = static_cast<std::size_t>(row - segment.first_row);
    for (std::int64_t k = segment.offsets[at]; k < segment.offsets[at + 1]; ++k)
      visit(segment.columns[k], segment.values[k]);
  }

private:
  /// Rows that were added together.
  struct Segment {
    std::int64_t first_row = 0;
    std::vector<std::int64_t> offsets;  ///< [rows + 1] within the segment
    Array<ColumnIndex> columns;
    Array<double> values;
  };

  const Segment& segment_of(std::int64_t row) const;
  std::int64_t stored_before(std::int64_t row) const;
  std::vector<std::int64_t> part_ends() const;
  template <std::size_t width>
  void add_rows(std::int64_t first, std::int64_t last, const double* x, double* y) const;

  std::int64_t num_rows_ = 0, stored_ = 0, diagonal_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace cisolve
