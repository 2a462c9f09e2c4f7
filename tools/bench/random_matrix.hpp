// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve::bench {

struct RandomMatrixShape {
  std::int64_t num_rows = 0;     ///< 1 .. 2^31 - 1
  double mean_row_length = 0.0;  ///< 1 .. num_rows
  /// Share of nonzeros at most eight columns behind the one before, in [0, 1): 0 spreads them evenly, the
  /// worst case for the gathers of x; CI matrices have most of theirs close together.
  double clustering = 0.8;
  std::uint64_t seed = 1;
};

/// A general matrix without chemistry, computed row by row and never stored: lengths vary by a factor
/// of three around their mean. The same for the same shape everywhere.
class RandomMatrix final : public RowSource {
public:
  /// @throws InputError if the shape is impossible
  explicit RandomMatrix(const RandomMatrixShape& shape);

  std::int64_t num_rows() const override { return shape_.num_rows; }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;

private:
  /// Calls visit(column, value), columns ascending.
  template <class Visit>
  void visit_row(std::int64_t row, const Visit& visit) const;

  RandomMatrixShape shape_;
};

}  // namespace cisolve::bench
