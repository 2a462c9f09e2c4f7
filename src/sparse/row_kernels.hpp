// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Consecutive nonzeros of one row.
template <class Scalar>
struct BasicRowPart {
  const ColumnIndex* columns;
  const Scalar* values;
  std::size_t size;
};
using RowPart = BasicRowPart<double>;

/// Products of parts of rows with 1, 2 or 4 vectors, compiled for each instruction set (row_kernels_of_set.hpp; AVX-512 has
/// nothing to add to AVX2 here). They are added to `sums` in an order that the size of the part alone fixes.
struct RowKernels {
  /// @param x     packed [column][vectors]
  /// @param sums  [vectors]
  using AddPart = void (*)(const RowPart& part, const double* x, double* sums);
  AddPart add_1, add_2, add_4;
};

/// Those for instruction_set().
const RowKernels& row_kernels();

}  // namespace cisolve
