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

/// The hybrid format of an n x m matrix exactly as published, for comparison; HybridMatrix is the one to use. Values in
/// hartree. Its bytes are those of the paper's formula: 12 for each slot, each nonzero of the tail, and each row.
///
/// | array | shape | in the paper |
/// |---|---|---|
/// | `ell_columns`, `ell_values` | [n * boundary] | ELLPACK_Column, NonZerosEntries; else padding_index, 0 |
/// | `csr_columns`, `csr_values` | [tail nnz] | CSR_Column, Value |
/// | `starts`, `ends` | [n] | StartArr, EndArr: range of the row's tail, if it has one |
/// | `row_counts` | [n] | AllNonZerosCount |
///
/// @see M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45, doi:10.3390/computation6030045,
///      Algorithm 6
/// @tparam Array  where the arrays are, see core/arrays.hpp
template <template <class> class Array>
struct BasicPaperHybridMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int32_t boundary = 0;
  std::int64_t nonzeros = 0;
  Array<ColumnIndex> ell_columns;
  Array<double> ell_values;
  Array<ColumnIndex> csr_columns;
  Array<double> csr_values;
  Array<std::uint32_t> starts;
  Array<std::uint32_t> ends;
  Array<std::uint32_t> row_counts;

  std::int64_t num_nonzeros() const noexcept { return nonzeros; }
  static auto members(auto& of) {
    return std::tie(of.num_rows, of.num_columns, of.boundary, of.nonzeros, of.ell_columns, of.ell_values,
                    of.csr_columns, of.csr_values, of.starts, of.ends, of.row_counts);
  }
};
using PaperHybridMatrix = BasicPaperHybridMatrix<Array>;

/// Builds the matrix in a second pass over the rows, in parallel.
///
/// @param lengths   those of count_rows
/// @param boundary  nonzeros of each row kept in the ELL part, >= 0; cut to the longest row
/// @throws DimensionError if boundary is negative, if the tail has 2^32 nonzeros or more, and as build_hybrid
/// @throws Interrupted, std::bad_alloc; whatever the source throws
PaperHybridMatrix build_paper_hybrid(const RowSource& source, std::span<const std::int64_t> lengths,
                                     std::int32_t boundary, const BuildOptions& options = {});

/// y = A x on the host, one row after the other: Algorithm 7 without its warps.
/// @throws DimensionError if shapes disagree
void spmv(const PaperHybridMatrix& a, ConstHostView x, HostView y);

/// y = A x or y += A x with all threads; see spmv of CsrMatrix.
void spmv(const PaperHybridMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve
