// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

namespace cisolve {

/// The memory in which the elements of a block of vectors live.
enum class Memory { host, cuda };

/// Non-owning view of a column-major block of vectors: element (i, k) at data[k * stride + i].
/// Only code of that memory may follow `data`; the solver passes views on and never does.
template <class Scalar, Memory memory>
struct BlockView {
  Scalar* data = nullptr;
  std::int64_t rows = 0;
  int columns = 0;
  std::int64_t stride = 0;

  /// View of columns first .. first + count - 1.
  BlockView slice(int first, int count) const { return {data + first * stride, rows, count, stride}; }

  /// View of rows first .. first + count - 1 of all columns.
  BlockView row_slice(std::int64_t first, std::int64_t count) const {
    return {data + first, count, columns, stride};
  }

  Scalar* column(int k) const { return data + k * stride; }

  /// A view for writing is a view for reading.
  template <class Mutable>
  requires std::is_same_v<Mutable, Scalar>
  operator BlockView<const Mutable, memory>() const { return {data, rows, columns, stride}; }
};

}  // namespace cisolve
