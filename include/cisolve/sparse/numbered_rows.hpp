// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// A value that is one of few up to sign: bit 31 is set if it is negative, the other bits are the place of
/// its magnitude in NumberedRowSource::magnitudes.
using ValueNumber = std::uint32_t;

inline constexpr ValueNumber negative_number = 0x80000000U;

constexpr std::size_t place_of(ValueNumber number) { return number & ~negative_number; }

/// One finished row of a matrix, valid during the call that hands it over: its numbered elements, and beside
/// them all others. Both ascend by column and are nonzero.
struct NumberedRow {
  std::int64_t index = 0;
  std::span<const ColumnIndex> columns;
  std::span<const ValueNumber> numbers;  ///< same length
  std::span<const ColumnIndex> general_columns;
  std::span<const double> general_values;  ///< same length
  /// How many general elements are of few values too, but have no place in the table.
  std::int64_t num_unlisted = 0;
};

/// Receives rows, in ascending order within one call of NumberedRowSource::fill, or in the order asked for.
class NumberedRowSink {
public:
  virtual ~NumberedRowSink() = default;
  virtual void row(const NumberedRow& row) = 0;
};

/// The rows of a RowSource with a table of their few values: what dictionary-coded formats are filled from.
/// Whoever computes a matrix knows where a value comes from, so that nobody need find it again by its bits.
class NumberedRowSource {
public:
  virtual ~NumberedRowSource() = default;

  virtual std::int64_t num_rows() const = 0;
  virtual std::int64_t num_columns() const { return num_rows(); }

  /// The table of values without their signs: distinct and > 0, fewer than 2^31, in an order that is always
  /// the same; some may belong to no element.
  virtual std::span<const double> magnitudes() const = 0;

  /// Hands the rows of `range` to `sink`, ascending, from the calling thread; thread-safe.
  virtual void fill(RowRange range, NumberedRowSink& sink) const = 0;

  /// Hands any rows to `sink`, in the order given, from the calling thread; thread-safe.
  virtual void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const {
    for (const std::int32_t row : rows) fill({row, std::int64_t{row} + 1}, sink);
  }
};

}  // namespace cisolve
