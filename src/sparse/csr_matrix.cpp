// SPDX-License-Identifier: MIT
#include "cisolve/sparse/csr_matrix.hpp"

#include <algorithm>
#include <array>

#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/complex_spmv.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

template <class Scalar>
auto parts_of(const BasicCsrMatrix<Array, Scalar>& a) {
  return [&a](std::int64_t row) {
    const std::size_t at = row;
    const std::int64_t first = a.offsets[at];
    return std::array{BasicRowPart<Scalar>{a.columns.data() + first, a.values.data() + first,
                                           static_cast<std::size_t>(a.offsets[at + 1] - first)}};
  };
}

/// A row costs its nonzeros and a little of its own, so that empty rows are shared out too.
template <class Scalar>
auto work_before(const BasicCsrMatrix<Array, Scalar>& a) {
  return [&a](std::int64_t row) { return (a.num_rows == 0 ? 0 : a.offsets[row]) + 4 * row; };
}

}  // namespace

template <class Scalar>
BasicCsrMatrix<Array, Scalar> build_csr(const BasicRowSource<Scalar>& source, const BuildOptions& options) {
  return build_csr(source, count_rows(source, options_of_pass(options, 0.0, 0.5)),
                   options_of_pass(options, 0.5, 1.0));
}

template <class Scalar>
BasicCsrMatrix<Array, Scalar> build_csr(const BasicRowSource<Scalar>& source,
                                        std::span<const std::int64_t> lengths, const BuildOptions& options) {
  BasicCsrMatrix<Array, Scalar> a;
  a.num_rows = checked_rows(source, lengths, "build_csr");
  a.num_columns = source.num_columns();
  const std::size_t n = lengths.size();
  a.offsets = Array<std::int64_t>(n + 1);
  a.offsets[0] = 0;
  for (std::size_t row = 0; row < n; ++row) a.offsets[row + 1] = a.offsets[row] + lengths[row];
  a.nonzeros = a.offsets[n];
  a.columns = Array<ColumnIndex>(a.nonzeros);
  a.values = Array<Scalar>(a.nonzeros);
  fill_rows(source, lengths, options, [&a](const BasicMatrixRow<Scalar>& row) {
    const std::int64_t first = a.offsets[row.index];
    std::copy(row.columns.begin(), row.columns.end(), a.columns.data() + first);
    std::copy(row.values.begin(), row.values.end(), a.values.data() + first);
  });
  return a;
}

void spmv(const CsrMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  multiply_plainly(parts_of(a), x, y);
}

void spmv(const CsrMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace, ProductUpdate update) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  multiply_in_parallel(parts_of(a), work_before(a), x, y, workspace, update);
}

void spmv(const ComplexCsrMatrix& a, ConstComplexHostView x, ComplexHostView y) {
  multiply_complex_plainly<Complex>(a.num_rows, a.num_columns, parts_of(a), x, y);
}

void spmv(const ComplexCsrMatrix& a, ConstComplexHostView x, ComplexHostView y, SpmvWorkspace& workspace,
          ProductUpdate update) {
  multiply_complex<Complex>(a.num_rows, a.num_columns, parts_of(a), work_before(a), x, y, workspace, update);
}

void spmv(const QuaternionCsrMatrix& a, ConstComplexHostView x, ComplexHostView y) {
  multiply_complex_plainly<Quaternion>(a.num_rows, a.num_columns, parts_of(a), x, y);
}

void spmv(const QuaternionCsrMatrix& a, ConstComplexHostView x, ComplexHostView y, SpmvWorkspace& workspace,
          ProductUpdate update) {
  multiply_complex<Quaternion>(a.num_rows, a.num_columns, parts_of(a), work_before(a), x, y, workspace,
                               update);
}

#define INSTANTIATE(Scalar)                                                                             \
  template BasicCsrMatrix<Array, Scalar> build_csr(const BasicRowSource<Scalar>&, const BuildOptions&); \
  template BasicCsrMatrix<Array, Scalar> build_csr(const BasicRowSource<Scalar>&,                       \
                                                   std::span<const std::int64_t>, const BuildOptions&);
INSTANTIATE(double)
INSTANTIATE(Complex)
INSTANTIATE(Quaternion)
#undef INSTANTIATE

}  // namespace cisolve
