// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/matrix.hpp"

namespace cisolve {

/// An element of a vector.
struct VectorElement {
  std::int64_t row = 0;
  double value = 0.0;
  bool operator==(const VectorElement&) const = default;
};

/// Whether an element comes before another by its magnitude, descending, equal ones by row.
bool is_heavier(const VectorElement& a, const VectorElement& b);

/// Vectors that are asked for by column, wherever they are: in this process, on a device, spread over ranks. Who
/// writes or analyses them never needs an array of all.
class VectorSource {
public:
  virtual ~VectorSource() = default;

  virtual std::int64_t rows() const = 0;
  virtual int columns() const = 0;

  /// Fills `out` with the elements of a column from `first_row` on.
  virtual void read(int column, std::int64_t first_row, std::span<double> out) const = 0;

  /// Consecutive elements of a column: seen where they are, or else read into `buffer`.
  /// @return [count], valid as long as source and buffer
  virtual std::span<const double> piece(int column, std::int64_t first_row, std::int64_t count,
                                        Array<double>& buffer) const;

  /// Some columns on the host, one after another: seen where they are, or else read into `buffer`.
  /// @return [rows() x count], valid as long as source and buffer
  virtual std::span<const double> view(int first, int count, Array<double>& buffer) const;

  // What is asked of whole vectors, piece by piece; where they are spread over processes each does its part. Results do
  // not depend on the number of threads.

  /// Elements of a column in any rows.
  /// @param rows  in any order, also several times
  /// @param out   [rows.size()]
  virtual void gather(int column, std::span<const std::int64_t> rows, std::span<double> out) const;

  /// Overlaps of all columns, shape [columns() x columns()].
  virtual Matrix overlaps() const;

  /// The elements of a column of largest magnitude, descending, equal ones by row; all, if there are fewer.
  virtual std::vector<VectorElement> heaviest(int column, std::int64_t count) const;
};

/// Some vectors on the host.
/// @return [vectors.rows() x kept.size()], column-major
Array<double> columns_of(const VectorSource& vectors, const std::vector<std::size_t>& kept);

/// All of them.
Array<double> all_columns(const VectorSource& vectors);

/// Vectors that somebody else holds in the memory of this process.
class SeenVectors : public VectorSource {
public:
  /// @param values  [rows x columns], column-major; must outlive this object
  SeenVectors(std::span<const double> values, std::int64_t rows, int columns)
      : values_(values), rows_(rows), columns_(columns) {}

  std::int64_t rows() const override { return rows_; }
  int columns() const override { return columns_; }

  void read(int column, std::int64_t first_row, std::span<double> out) const override;
  std::span<const double> piece(int column, std::int64_t first_row, std::int64_t count,
                                Array<double>&) const override {
    return values_.subspan(static_cast<std::size_t>(column * rows_ + first_row),
                           static_cast<std::size_t>(count));
  }
  std::span<const double> view(int first, int count, Array<double>&) const override {
    return values_.subspan(static_cast<std::size_t>(first * rows_), static_cast<std::size_t>(count * rows_));
  }
  void gather(int column, std::span<const std::int64_t> rows, std::span<double> out) const override;

private:
  std::span<const double> values_;
  std::int64_t rows_;
  int columns_;
};

/// Columns that somebody else holds; null: there are none.
/// @param values  [rows x k], column-major; must outlive what is returned
std::shared_ptr<const VectorSource> seen_vectors(std::span<const double> values, std::int64_t rows);

/// Vectors in the memory of this process.
class HeldVectors final : public SeenVectors {
public:
  /// @param values  [rows x columns], column-major
  HeldVectors(Array<double> values, std::int64_t rows, int columns)
      : SeenVectors(values, rows, columns), values_(std::move(values)) {}

private:
  Array<double> values_;
};

/// Some columns of others.
class ChosenVectors final : public VectorSource {
public:
  /// @param columns  of the source
  ChosenVectors(std::shared_ptr<const VectorSource> source, std::vector<int> columns)
      : source_(std::move(source)), columns_(std::move(columns)) {}

  const std::shared_ptr<const VectorSource>& source() const { return source_; }
  std::span<const int> chosen() const { return columns_; }

  std::int64_t rows() const override { return source_->rows(); }
  int columns() const override { return static_cast<int>(columns_.size()); }
  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    source_->read(number(column), first_row, out);
  }
  std::span<const double> piece(int column, std::int64_t first_row, std::int64_t count,
                                Array<double>& buffer) const override {
    return source_->piece(number(column), first_row, count, buffer);
  }
  void gather(int column, std::span<const std::int64_t> rows, std::span<double> out) const override {
    source_->gather(number(column), rows, out);
  }
  std::vector<VectorElement> heaviest(int column, std::int64_t count) const override {
    return source_->heaviest(number(column), count);
  }

private:
  int number(int column) const { return columns_[static_cast<std::size_t>(column)]; }

  std::shared_ptr<const VectorSource> source_;
  std::vector<int> columns_;
};

}  // namespace cisolve
