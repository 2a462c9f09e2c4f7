// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cisolve/core/array.hpp"

namespace cisolve {

/// A matrix of few rows, of which the products of all rows with each other are wanted. What a symmetric product of BLAS
/// is for where rows are many; where they are some ten this is quicker to begin, and needs no place for the products. Each
/// is summed in an order that the number of columns and the instruction set fix.
class RowProducts {
public:
  /// Zeros, shape [rows, columns].
  void resize(std::int64_t rows, std::int64_t columns);

  double* row(std::int64_t i) { return values_.data() + i * stride_; }

  /// add(i, j, product of rows i and j) for all j <= i.
  template <class Add>
  void for_each_product(const Add& add) const {
    constexpr std::int64_t tile_elements = 1 << 15;  // a quarter of a second-level cache
    const std::int64_t tile = std::max(tile_elements / stride_ / kets * kets, kets);
    Block products;
    for (std::int64_t first = 0; first < rows_; first += tile) {
      for (std::int64_t i = first / bras * bras; i < rows_; i += bras) {
        const std::int64_t end = std::min(i + bras, rows_);
        for (std::int64_t j = first; j < std::min(first + tile, end); j += kets) {
          multiply(i, j, products);
          for (std::int64_t a = i; a < end; ++a) {
            for (std::int64_t b = j; b < std::min(j + kets, a + 1); ++b) add(a, b, products[a - i][b - j]);
          }
        }
      }
    }
  }

private:
  static constexpr std::int64_t bras = 4, kets = 4;
  using Block = double[bras][kets];
  /// Products of `bras` rows with `kets` rows of so many columns, which follow each other so many elements apart.
  using Multiply = void (*)(const double* bra, const double* ket, std::int64_t columns, Block& products);

  static Multiply multiply_of_this_processor();
  void multiply(std::int64_t i, std::int64_t j, Block& products) const {
    multiply_(values_.data() + i * stride_, values_.data() + j * stride_, stride_, products);
  }

  Multiply multiply_ = multiply_of_this_processor();
  std::int64_t rows_ = 0;
  std::int64_t stride_ = 0;  ///< from row to row; columns beyond the last are zeros
  Array<double> values_;
};

}  // namespace cisolve
