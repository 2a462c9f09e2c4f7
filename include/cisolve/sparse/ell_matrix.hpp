// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

/// A real n x m matrix in ELL, ELL-R, sliced ELL or sliced ELL-R. Values in hartree.
///
/// Consecutive rows form slices of `slice_size`; all rows of a slice are padded to its longest. ELL is the
/// case of one slice. A slice is stored slot by slot, so that threads with a row each read side by side:
/// slot k of row i of slice s, with rows first = s * slice_size .. first + r, r <= slice_size, is element
/// slice_offsets[s] + k * r + (i - first).
///
/// | array | shape | element |
/// |---|---|---|
/// | `columns`, `values` | [slots] | a nonzero, columns ascending in k; else padding_index, 0 |
/// | `slice_offsets` | [slices + 1], empty in ELL | first slot of each slice |
/// | `row_counts` | [n] in the -R formats, else empty | nonzeros of the row: its padding is not read |
///
/// @see doi:10.3390/computation6030045, sec. 3.2-3.5 and Algorithms 2-5
/// @tparam Array  where the arrays are, see core/arrays.hpp
template <template <class> class Array>
struct BasicEllMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t slice_size = 1;
  std::int64_t nonzeros = 0;
  Array<std::int64_t> slice_offsets;
  Array<std::int32_t> row_counts;
  Array<ColumnIndex> columns;
  Array<double> values;

  std::int64_t num_nonzeros() const noexcept { return nonzeros; }
  std::int64_t num_slots() const noexcept { return static_cast<std::int64_t>(columns.size()); }
  bool has_counts() const noexcept { return row_counts.size() > 0; }
  static auto members(auto& of) {
    return std::tie(of.num_rows, of.num_columns, of.slice_size, of.nonzeros, of.slice_offsets, of.row_counts,
                    of.columns, of.values);
  }
};
using EllMatrix = BasicEllMatrix<Array>;

/// Which of the four ELL formats: plain or sliced, with row counts or without.
struct EllShape {
  std::int64_t slice_size = 0;  ///< rows, >= 1; 0: all rows in one slice (ELL)
  bool row_counts = false;      ///< the -R formats
};

/// Builds the matrix in a second pass over the rows, in parallel.
///
/// @param lengths  those of count_rows
/// @throws DimensionError if slice_size is negative, and as build_csr
EllMatrix build_ell(const RowSource& source, std::span<const std::int64_t> lengths, const EllShape& shape,
                    const BuildOptions& options = {});

/// What build_ell allocates for rows of these lengths, bytes.
std::int64_t ell_matrix_bytes(std::span<const std::int64_t> lengths, const EllShape& shape);

/// y = A x on the host, one row after the other, by the paper's Algorithms 2 to 5: the definition.
/// @throws DimensionError if shapes disagree
void spmv(const EllMatrix& a, ConstHostView x, HostView y);

/// y = A x or y += A x with all threads, 32 neighbouring rows at a time; see spmv of CsrMatrix.
void spmv(const EllMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve
