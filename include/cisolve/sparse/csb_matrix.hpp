// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cisolve/core/array.hpp"
#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

/// Compressed sparse blocks: a real n x m matrix in square blocks of z = `block_size` rows and columns.
/// Values in hartree.
///
/// | array | shape | element |
/// |---|---|---|
/// | `block_offsets` | [block rows * block columns + 1] | first nonzero of block (I, J) at I * block columns + J |
/// | `row_indices`, `column_indices` | [nnz] | within the block, 0 .. z - 1 |
/// | `values` | [nnz] | row by row within a block, columns ascending |
///
/// The authors order a block's nonzeros along a Morton curve, so that it splits into quarters for the
/// transposed product; a symmetric matrix needs none, and rows in order give sums in a fixed order.
///
/// @see A. Buluc et al., SPAA '09, doi:10.1145/1583991.1584053; doi:10.3390/computation6030045, sec. 3.6
/// @tparam Array  where the arrays are, see core/arrays.hpp
template <template <class> class Array>
struct BasicCsbMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t nonzeros = 0;
  std::int32_t block_size = 1;
  std::int64_t num_block_rows = 0;
  std::int64_t num_block_columns = 0;
  Array<std::int64_t> block_offsets;
  Array<std::uint16_t> row_indices;
  Array<std::uint16_t> column_indices;
  Array<double> values;

  std::int64_t num_nonzeros() const noexcept { return nonzeros; }
  static auto members(auto& of) {
    return std::tie(of.num_rows, of.num_columns, of.nonzeros, of.block_size, of.num_block_rows,
                    of.num_block_columns, of.block_offsets, of.row_indices, of.column_indices, of.values);
  }
};
using CsbMatrix = BasicCsbMatrix<Array>;

/// Largest block: sums of a block row then fit the memory that a multiprocessor shares.
inline constexpr std::int32_t largest_csb_block = 8192;

/// The block size for m columns: the power of two next below sqrt(m), in 16 .. largest_csb_block, which keeps
/// the offsets about as few as the rows.
std::int32_t choose_csb_block(std::int64_t num_columns);

/// Builds the matrix in two passes of its own over the rows, in parallel by block rows: nonzeros per block,
/// then the nonzeros.
///
/// @param lengths     those of count_rows
/// @param block_size  1 .. largest_csb_block; 0: choose_csb_block decides
/// @throws DimensionError if the block size is out of range, and as build_csr
CsbMatrix build_csb(const RowSource& source, std::span<const std::int64_t> lengths,
                    std::int32_t block_size = 0, const BuildOptions& options = {});

/// What build_csb allocates, bytes.
/// @param num_columns  none: as many as rows
std::int64_t csb_matrix_bytes(std::span<const std::int64_t> lengths, std::int32_t block_size = 0,
                              std::optional<std::int64_t> num_columns = std::nullopt);

/// y = A x on the host, one block after the other: the definition.
/// @throws DimensionError if shapes disagree
void spmv(const CsbMatrix& a, ConstHostView x, HostView y);

/// y = A x or y += A x with all threads, a block row at a time; see spmv of CsrMatrix.
void spmv(const CsbMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve
