// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

/// Compressed sparse rows of an n x m matrix, both triangles of a symmetric one. Values in hartree.
///
/// | array | shape | element of row i |
/// |---|---|---|
/// | `offsets` | [n + 1] | first nonzero; row i ends at offsets[i + 1] |
/// | `columns`, `values` | [nnz] | offsets[i] .. offsets[i + 1], columns ascending |
/// @tparam Array   where the arrays are, see core/arrays.hpp
/// @tparam Scalar  double, Complex or Quaternion
template <template <class> class Array, class Scalar>
struct BasicCsrMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t nonzeros = 0;
  Array<std::int64_t> offsets;
  Array<ColumnIndex> columns;
  Array<Scalar> values;

  std::int64_t num_nonzeros() const noexcept { return nonzeros; }
  static auto members(auto& of) {
    return std::tie(of.num_rows, of.num_columns, of.nonzeros, of.offsets, of.columns, of.values);
  }
};
using CsrMatrix = BasicCsrMatrix<Array, double>;
using ComplexCsrMatrix = BasicCsrMatrix<Array, Complex>;
using QuaternionCsrMatrix = BasicCsrMatrix<Array, Quaternion>;

/// Builds the matrix in two passes over the rows, in parallel; the result does not depend on the
/// number of threads. Beyond the matrix itself 8 bytes a row and a chunk of rows per thread are held.
///
/// @throws DimensionError if the source has 2^31 rows or columns or more, a column out of range, or hands over
///         rows that disagree with its own counts
/// @throws Interrupted if a stop was requested
/// @throws std::bad_alloc if the system refuses the memory; whatever the source throws
template <class Scalar>
BasicCsrMatrix<Array, Scalar> build_csr(const BasicRowSource<Scalar>& source,
                                        const BuildOptions& options = {});

/// Builds a CSR matrix whose first pass is done.
/// @param lengths  those of count_rows
template <class Scalar>
BasicCsrMatrix<Array, Scalar> build_csr(const BasicRowSource<Scalar>& source,
                                        std::span<const std::int64_t> lengths,
                                        const BuildOptions& options = {});

/// y = A x on the host, one row after the other: the definition that every other product is tested
/// against.
///
/// @param a  n x m
/// @param x  m x k
/// @param y  n x k, in hartree times the unit of x; must not overlap x
/// @throws DimensionError if shapes disagree
void spmv(const CsrMatrix& a, ConstHostView x, HostView y);

/// y = A x or y += A x with all threads. Rows are shared out by nonzeros; the columns of x are taken
/// four at a time, packed [row][4], so that four products stream the matrix once. The sum of a row
/// has an order of its own that does not depend on the number of threads.
void spmv(const CsrMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

/// y = A x of a complex matrix on the host, one row after the other: the definition; see spmv of a real one.
void spmv(const ComplexCsrMatrix& a, ConstComplexHostView x, ComplexHostView y);

/// y = A x or y += A x of a complex matrix with all threads, four columns of x at a time; see spmv of a real one.
void spmv(const ComplexCsrMatrix& a, ConstComplexHostView x, ComplexHostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

/// y = A x on the host, one row after the other, where A is the complex 2 n x 2 m matrix whose elements in rows
/// 2 r, 2 r + 1 and columns 2 c, 2 c + 1 are the block of quaternion (r, c): the definition; see spmv of a real one.
/// @param x  2 m x k
/// @param y  2 n x k
void spmv(const QuaternionCsrMatrix& a, ConstComplexHostView x, ComplexHostView y);

/// y = A x or y += A x of a quaternion matrix with all threads, four columns of x at a time.
void spmv(const QuaternionCsrMatrix& a, ConstComplexHostView x, ComplexHostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve
