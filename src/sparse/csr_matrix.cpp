// SPDX-License-Identifier: MIT
#include "cisolve/sparse/csr_matrix.hpp"

#include <algorithm>
#include <array>

#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

auto parts_of(const CsrMatrix& a) {
  return [&a](std::int64_t row) {
    const std::size_t at = row;
    const std::int64_t first = a.offsets[at];
    return std::array{RowPart{a.columns.data() + first, a.values.data() + first,
                              static_cast<std::size_t>(a.offsets[at + 1] - first)}};
  };
}

}  // namespace

CsrMatrix build_csr(const RowSource& source, const BuildOptions& options) {
  return build_csr(source, count_rows(source, options_of_pass(options, 0.0, 0.5)),
                   options_of_pass(options, 0.5, 1.0));
}

CsrMatrix build_csr(const RowSource& source, std::span<const std::int64_t> lengths,
                    const BuildOptions& options) {
  CsrMatrix a;
  a.num_rows = checked_rows(source, lengths, "build_csr");
  const std::size_t n = lengths.size();
  a.offsets = Array<std::int64_t>(n + 1);
  a.offsets[0] = 0;
  for (std::size_t row = 0; row < n; ++row) a.offsets[row + 1] = a.offsets[row] + lengths[row];
  a.nonzeros = a.offsets[n];
  a.columns = Array<ColumnIndex>(a.nonzeros);
  a.values = Array<double>(a.nonzeros);
  fill_rows(source, lengths, options, [&a](const MatrixRow& row) {
    const std::int64_t first = a.offsets[row.index];
    std::copy(row.columns.begin(), row.columns.end(), a.columns.data() + first);
    std::copy(row.values.begin(), row.values.end(), a.values.data() + first);
  });
  return a;
}

void spmv(const CsrMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, x, y);
  multiply_plainly(parts_of(a), x, y);
}

void spmv(const CsrMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace) {
  require_spmv_shapes(a.num_rows, x, y);
  // A row costs its nonzeros and a little of its own, so that empty rows are shared out too.
  const auto work_before = [&a](std::int64_t row) {
    return (a.num_rows == 0 ? 0 : a.offsets[row]) + 4 * row;
  };
  multiply_in_parallel(parts_of(a), work_before, x, y, workspace);
}

}  // namespace cisolve
