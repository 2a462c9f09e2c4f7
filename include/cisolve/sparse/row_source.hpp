// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/core/quaternion.hpp"

namespace cisolve {

/// Half-open range of rows.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t size() const noexcept { return last - first; }
};

/// Column number; matrices have fewer than 2^31 rows and columns. Counts and offsets are 64-bit.
using ColumnIndex = std::int32_t;

/// One finished row of a matrix, valid during the call that hands it over.
/// @tparam Scalar  double, Complex or Quaternion
template <class Scalar>
struct BasicMatrixRow {
  std::int64_t index = 0;
  std::span<const ColumnIndex> columns;  ///< ascending
  std::span<const Scalar> values;        ///< nonzero, same length
  /// Positions in this row (ascending) whose value is of the general kind; all others are one of
  /// few values up to sign (double excitations: an integral or an antisymmetrised pair), which
  /// dictionary-coded formats exploit. Of real matrices alone.
  std::span<const std::int32_t> general;
};
using MatrixRow = BasicMatrixRow<double>;

/// Receives rows, in ascending order within one call of BasicRowSource::fill.
template <class Scalar>
class BasicRowSink {
public:
  virtual ~BasicRowSink() = default;
  virtual void row(const BasicMatrixRow<Scalar>& row) = 0;
};
using RowSink = BasicRowSink<double>;
using ComplexRowSink = BasicRowSink<Complex>;
using QuaternionRowSink = BasicRowSink<Quaternion>;

/// How long the rows of a matrix are, whatever its elements are made of. Thread-safe.
class RowPattern {
public:
  virtual ~RowPattern() = default;

  virtual std::int64_t num_rows() const = 0;

  /// As many as rows, unless these are some rows of a larger matrix (sparse/ranged_rows.hpp).
  virtual std::int64_t num_columns() const { return num_rows(); }

  /// Nonzeros of each row of `range`; lengths has range.size() elements.
  virtual void count(RowRange range, std::span<std::int64_t> lengths) const = 0;
};

/// How a matrix is fed into a storage format, which knows no chemistry. Both triangles of a symmetric one are given.
/// Thread-safe, and every range may be asked for any number of times with the same answer, so a
/// format is built in two passes (count, allocate, fill) with nothing of size nnz in between.
/// @tparam Scalar  double, Complex or Quaternion
template <class Scalar>
class BasicRowSource : public RowPattern {
public:
  /// Hands the rows of `range` to `sink`, ascending, from the calling thread.
  virtual void fill(RowRange range, BasicRowSink<Scalar>& sink) const = 0;
};
using ComplexRowSource = BasicRowSource<Complex>;
using QuaternionRowSource = BasicRowSource<Quaternion>;

class NumberedRowSource;

/// The rows of a real matrix, and what a source may know of them besides.
class RowSource : public BasicRowSource<double> {
public:
  /// This source's rows with numbers in place of the values that are few; see numbered_rows.hpp. Null: it has
  /// no table of them. Making it may take time; it refers to this source.
  virtual std::unique_ptr<const NumberedRowSource> numbered() const;

  /// As fill, but of each row of a square matrix only what lies up to the diagonal: what a symmetric one is made from.
  virtual void fill_lower(RowRange range, RowSink& sink) const;

  /// An order of the rows, and of the columns with them, in which rows side by side have nonzeros side by
  /// side, as far as this source knows one: [num_rows()], the row at each place. Empty: none is known, or the
  /// matrix is not square. Formats that keep an order of their own are built in it; always the same for the same
  /// matrix.
  virtual Array<std::int32_t> local_order() const;

  /// Whether a row costs the same whichever was asked for before it. If not, rows in another order than their
  /// own take longer.
  virtual bool rows_are_independent() const { return false; }
};

}  // namespace cisolve
