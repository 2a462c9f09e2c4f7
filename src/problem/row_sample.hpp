// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Lengths of rows in short pieces spread evenly over a matrix; of all rows of a small one. Where rows are
/// long, tells the nonzeros to a few percent in the time of some thousand rows.
class RowSample {
public:
  explicit RowSample(const RowSource& rows);

  std::int64_t num_rows() const { return num_rows_; }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  bool is_whole() const { return std::ssize(lengths_) == num_rows_; }

  /// Of all rows, how many are in the sample.
  double share() const { return static_cast<double>(lengths_.size()) / static_cast<double>(num_rows_); }

  /// Elements of the whole matrix.
  double nonzeros() const;

  /// A length for every row: those of the nearest piece, again and again.
  std::vector<std::int64_t> spread() const;

private:
  std::int64_t num_rows_;
  std::vector<std::int64_t> lengths_;  ///< [pieces * rows of a piece], or [num_rows]
};

}  // namespace cisolve
