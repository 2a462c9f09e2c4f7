// SPDX-License-Identifier: MIT
#include "cisolve/sparse/paper_hybrid_matrix.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

auto parts_of(const PaperHybridMatrix& a) {
  return [&a](std::int64_t row) {
    const std::size_t at = row;
    const std::int64_t ell = row * a.boundary;
    const auto boundary = static_cast<std::uint32_t>(a.boundary);
    return std::array{
        RowPart{a.ell_columns.data() + ell, a.ell_values.data() + ell, std::min(a.row_counts[at], boundary)},
        RowPart{a.csr_columns.data() + a.starts[at], a.csr_values.data() + a.starts[at],
                a.ends[at] - a.starts[at]}};
  };
}

void store_row(PaperHybridMatrix& a, const MatrixRow& row) {
  const std::size_t at = row.index;
  const std::int64_t in_ell = std::min<std::int64_t>(std::ssize(row.columns), a.boundary);
  ColumnIndex* columns = a.ell_columns.data() + row.index * a.boundary;
  double* values = a.ell_values.data() + row.index * a.boundary;
  std::fill(std::copy_n(row.columns.begin(), in_ell, columns), columns + a.boundary, padding_index);
  std::fill(std::copy_n(row.values.begin(), in_ell, values), values + a.boundary, 0.0);
  std::copy(row.columns.begin() + in_ell, row.columns.end(), a.csr_columns.data() + a.starts[at]);
  std::copy(row.values.begin() + in_ell, row.values.end(), a.csr_values.data() + a.starts[at]);
}

}  // namespace

PaperHybridMatrix build_paper_hybrid(const RowSource& source, std::span<const std::int64_t> lengths,
                                     std::int32_t boundary, const BuildOptions& options) {
  if (boundary < 0) throw DimensionError("a hybrid matrix needs BOUNDARY >= 0");
  PaperHybridMatrix a;
  a.num_rows = checked_rows(source, lengths, "build_paper_hybrid");
  a.num_columns = source.num_columns();
  const std::size_t n = lengths.size();
  const std::int64_t longest = n == 0 ? 0 : *std::max_element(lengths.begin(), lengths.end());
  a.boundary = static_cast<std::int32_t>(std::min<std::int64_t>(boundary, longest));
  a.nonzeros = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  a.starts = Array<std::uint32_t>(n);
  a.ends = Array<std::uint32_t>(n);
  a.row_counts = Array<std::uint32_t>(n);
  std::int64_t tail = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const std::int64_t start = tail;
    tail += std::max<std::int64_t>(lengths[row] - a.boundary, 0);
    if (tail > std::numeric_limits<std::uint32_t>::max()) {
      throw DimensionError(
          "hybrid-paper: the tail has 2^32 nonzeros or more, too many for the paper's "
          "32-bit offsets");
    }
    a.starts[row] = static_cast<std::uint32_t>(start);
    a.ends[row] = static_cast<std::uint32_t>(tail);
    a.row_counts[row] = static_cast<std::uint32_t>(lengths[row]);
  }
  const auto slots = n * static_cast<std::size_t>(a.boundary);
  a.ell_columns = Array<ColumnIndex>(slots);
  a.ell_values = Array<double>(slots);
  a.csr_columns = Array<ColumnIndex>(tail);
  a.csr_values = Array<double>(tail);
  fill_rows(source, lengths, options, [&a](const MatrixRow& row) { store_row(a, row); });
  return a;
}

void spmv(const PaperHybridMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  multiply_plainly(parts_of(a), x, y);
}

void spmv(const PaperHybridMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  const auto work_before = [&a](std::int64_t row) {
    const std::int64_t in_tail = row == 0 ? 0 : a.ends[row - 1];
    return in_tail + (a.boundary + 4) * row;
  };
  multiply_in_parallel(parts_of(a), work_before, x, y, workspace, update);
}

}  // namespace cisolve
