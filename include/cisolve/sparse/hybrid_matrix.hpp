// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/ell_width.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

/// Column index of an unused ELL slot; such a slot is never read further.
inline constexpr ColumnIndex padding_index = -1;

/// An n x m matrix as a fixed-width ELL part and a CSR tail. Values in hartree.
///
/// Row i keeps its first `ell_width` nonzeros (ascending columns) in the ELL part and the rest in the
/// tail. The slots of a row are contiguous, because a warp works on one row; the distance between rows,
/// `ell_stride`, is `ell_width` rounded up so that every row of columns starts 16-byte aligned.
///
/// | array | shape | element of row i |
/// |---|---|---|
/// | `ell_columns`, `ell_values` | [n * ell_stride] | slot k at i * ell_stride + k; else padding_index, 0 |
/// | `row_counts` | [n] | nonzeros of the row, ELL part and tail together |
/// | `ell_counts` | [n], or empty: min(row_counts, ell_width) | nonzeros of the row in the ELL part |
/// | `tail_offsets` | [n + 1] | first tail nonzero; 64-bit |
/// | `tail_columns`, `tail_values` | [tail nnz] | tail_offsets[i] .. tail_offsets[i + 1] |
///
/// @see M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45, doi:10.3390/computation6030045,
///      Algorithm 6; `ell_width` is its BOUNDARY
/// @tparam Array   where the arrays are, see core/arrays.hpp
/// @tparam Scalar  double, Complex or Quaternion: the paper wishes for the last
template <template <class> class Array, class Scalar>
struct BasicHybridMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t nonzeros = 0;  ///< of both parts
  std::int32_t ell_width = 0;
  std::int32_t ell_stride = 0;
  Array<ColumnIndex> ell_columns;
  Array<Scalar> ell_values;
  Array<std::int32_t> row_counts;
  Array<std::int32_t> ell_counts;
  Array<std::int64_t> tail_offsets;
  Array<ColumnIndex> tail_columns;
  Array<Scalar> tail_values;

  std::int64_t num_nonzeros() const noexcept { return nonzeros; }
  std::int64_t num_tail_nonzeros() const noexcept { return static_cast<std::int64_t>(tail_values.size()); }
  static auto members(auto& of) {
    return std::tie(of.num_rows, of.num_columns, of.nonzeros, of.ell_width, of.ell_stride, of.ell_columns,
                    of.ell_values, of.row_counts, of.ell_counts, of.tail_offsets, of.tail_columns,
                    of.tail_values);
  }
};
using HybridMatrix = BasicHybridMatrix<Array, double>;
using ComplexHybridMatrix = BasicHybridMatrix<Array, Complex>;
using QuaternionHybridMatrix = BasicHybridMatrix<Array, Quaternion>;

/// Builds the matrix in two passes over the rows, in parallel; the result does not depend on the
/// number of threads. Beyond the matrix itself 8 bytes a row and a chunk of rows per thread are held.
///
/// @param ell_width  nonzeros of each row kept in the ELL part, >= 0; widths beyond the longest row are
///                   cut to it; none: choose_ell_width decides
/// @throws DimensionError if ell_width is negative, and as build_csr
template <class Scalar>
BasicHybridMatrix<Array, Scalar> build_hybrid(const BasicRowSource<Scalar>& source,
                                              std::optional<std::int32_t> ell_width = std::nullopt,
                                              const BuildOptions& options = {},
                                              const EllCostModel& cost_model = ell_costs<Scalar>());

/// Builds a hybrid matrix whose first pass is done.
/// @param lengths  those of count_rows
template <class Scalar>
BasicHybridMatrix<Array, Scalar> build_hybrid(const BasicRowSource<Scalar>& source,
                                              std::span<const std::int64_t> lengths, std::int32_t ell_width,
                                              const BuildOptions& options = {});

/// Builds a hybrid matrix by the boundary of the paper's text instead of its Algorithm 6: the ELL part of
/// each row is its nonzeros in the columns below `reference_columns`, the reference region, and `ell_width`
/// becomes the most that a row has there. Takes one more pass over the rows.
///
/// @param reference_columns  0 .. columns
/// @throws DimensionError if it is out of range, and as build_hybrid
template <class Scalar>
BasicHybridMatrix<Array, Scalar> build_hybrid_by_columns(const BasicRowSource<Scalar>& source,
                                                         std::span<const std::int64_t> lengths,
                                                         std::int64_t reference_columns,
                                                         const BuildOptions& options = {});

/// y = A x on the host, one row after the other: the definition; see spmv of CsrMatrix.
void spmv(const HybridMatrix& a, ConstHostView x, HostView y);

/// y = A x or y += A x with all threads; see spmv of CsrMatrix.
void spmv(const HybridMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

/// y = A x of a complex or a quaternion matrix on the host: the definition; see spmv of ComplexCsrMatrix and of
/// QuaternionCsrMatrix.
void spmv(const ComplexHybridMatrix& a, ConstComplexHostView x, ComplexHostView y);
void spmv(const QuaternionHybridMatrix& a, ConstComplexHostView x, ComplexHostView y);

/// y = A x or y += A x of a complex or a quaternion matrix with all threads; see spmv of ComplexCsrMatrix and of
/// QuaternionCsrMatrix.
void spmv(const ComplexHybridMatrix& a, ConstComplexHostView x, ComplexHostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);
void spmv(const QuaternionHybridMatrix& a, ConstComplexHostView x, ComplexHostView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve
