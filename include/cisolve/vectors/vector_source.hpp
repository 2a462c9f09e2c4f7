// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cisolve/core/array.hpp"

namespace cisolve {

/// Vectors that are asked for by column, wherever they are: in this process, on a device, spread over ranks. Who
/// writes or analyses them never needs an array of all.
class VectorSource {
public:
  virtual ~VectorSource() = default;

  virtual std::int64_t rows() const = 0;
  virtual int columns() const = 0;

  /// Fills `out` with the elements of a column from `first_row` on.
  virtual void read(int column, std::int64_t first_row, std::span<double> out) const = 0;

  /// Some columns on the host, one after another: seen where they are, or else read into `buffer`.
  /// @return [rows() x count], valid as long as source and buffer
  virtual std::span<const double> view(int first, int count, Array<double>& buffer) const {
    const std::size_t n = rows();
    buffer = {};  // Free first: both need not fit.
    buffer = Array<double>(n * static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
      read(first + k, 0, std::span(buffer).subspan(static_cast<std::size_t>(k) * n, n));
    }
    return buffer;
  }
};

/// Vectors that somebody else holds in the memory of this process.
class SeenVectors final : public VectorSource {
public:
  /// @param values  [rows x columns], column-major; must outlive this object
  SeenVectors(std::span<const double> values, std::int64_t rows, int columns)
      : values_(values), rows_(rows), columns_(columns) {}

  std::int64_t rows() const override { return rows_; }
  int columns() const override { return columns_; }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    std::ranges::copy(values_.subspan(static_cast<std::size_t>(column * rows_ + first_row), out.size()),
                      out.begin());
  }

  std::span<const double> view(int first, int count, Array<double>&) const override {
    return values_.subspan(static_cast<std::size_t>(first * rows_), static_cast<std::size_t>(count * rows_));
  }

private:
  std::span<const double> values_;
  std::int64_t rows_;
  int columns_;
};

/// Vectors in the memory of this process.
class HeldVectors final : public VectorSource {
public:
  /// @param values  [rows x columns], column-major
  HeldVectors(Array<double> values, std::int64_t rows, int columns)
      : values_(std::move(values)), rows_(rows), columns_(columns) {}

  std::int64_t rows() const override { return rows_; }
  int columns() const override { return columns_; }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    const double* first = values_.data() + column * rows_ + first_row;
    std::copy(first, first + out.size(), out.begin());
  }

  std::span<const double> view(int first, int count, Array<double>&) const override {
    return std::span<const double>(values_).subspan(first * rows_, count * rows_);
  }

private:
  Array<double> values_;
  std::int64_t rows_;
  int columns_;
};

}  // namespace cisolve
