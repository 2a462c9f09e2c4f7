// SPDX-License-Identifier: MIT
#include "cisolve/sparse/hybrid_matrix.hpp"

#include <algorithm>
#include <array>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/complex_spmv.hpp"
#include "sparse/parallel_spmv.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

template <class Scalar>
std::int64_t ell_count(const BasicHybridMatrix<Array, Scalar>& a, std::size_t row) {
  return a.ell_counts.size() > 0 ? a.ell_counts[row] : std::min(a.row_counts[row], a.ell_width);
}

template <class Scalar>
auto parts_of(const BasicHybridMatrix<Array, Scalar>& a) {
  return [&a](std::int64_t row) {
    const std::size_t at = row;
    const std::int64_t ell = row * a.ell_stride;
    const std::int64_t tail = a.tail_offsets[at];
    return std::array{BasicRowPart<Scalar>{a.ell_columns.data() + ell, a.ell_values.data() + ell,
                                           static_cast<std::size_t>(ell_count(a, at))},
                      BasicRowPart<Scalar>{a.tail_columns.data() + tail, a.tail_values.data() + tail,
                                           static_cast<std::size_t>(a.tail_offsets[at + 1] - tail)}};
  };
}

template <class Scalar>
auto work_before(const BasicHybridMatrix<Array, Scalar>& a) {
  return [&a](std::int64_t row) {
    return (a.num_rows == 0 ? 0 : a.tail_offsets[row]) + (a.ell_stride + 4) * row;
  };
}

template <class Scalar>
void store_row(BasicHybridMatrix<Array, Scalar>& a, const BasicMatrixRow<Scalar>& row) {
  const std::size_t at = row.index;
  const std::int64_t in_ell = ell_count(a, at);
  const std::int64_t ell = row.index * a.ell_stride;
  const std::int64_t tail = a.tail_offsets[at];

  ColumnIndex* columns = a.ell_columns.data() + ell;
  Scalar* values = a.ell_values.data() + ell;
  std::fill(std::copy_n(row.columns.begin(), in_ell, columns), columns + a.ell_stride, padding_index);
  std::fill(std::copy_n(row.values.begin(), in_ell, values), values + a.ell_stride, Scalar{});
  std::copy(row.columns.begin() + in_ell, row.columns.end(), a.tail_columns.data() + tail);
  std::copy(row.values.begin() + in_ell, row.values.end(), a.tail_values.data() + tail);
}

/// The rest of a matrix whose shape, width and, if it has them, ell_counts are known.
template <class Scalar>
void allocate_and_fill(BasicHybridMatrix<Array, Scalar>& a, const BasicRowSource<Scalar>& source,
                       std::span<const std::int64_t> lengths, const BuildOptions& options) {
  const std::size_t n = lengths.size();
  a.ell_stride = ell_stride_of(a.ell_width);
  a.row_counts = Array<std::int32_t>(n);
  a.tail_offsets = Array<std::int64_t>(n + 1);
  a.tail_offsets[0] = 0;
  for (std::size_t row = 0; row < n; ++row) {
    a.nonzeros += lengths[row];
    a.row_counts[row] = static_cast<std::int32_t>(lengths[row]);
    a.tail_offsets[row + 1] = a.tail_offsets[row] + lengths[row] - ell_count(a, row);
  }

  const auto slots = n * static_cast<std::size_t>(a.ell_stride);
  const std::size_t tail = a.tail_offsets[n];
  a.ell_columns = Array<ColumnIndex>(slots);
  a.ell_values = Array<Scalar>(slots);
  a.tail_columns = Array<ColumnIndex>(tail);
  a.tail_values = Array<Scalar>(tail);
  fill_rows(source, lengths, options, [&a](const BasicMatrixRow<Scalar>& row) { store_row(a, row); });
}

}  // namespace

template <class Scalar>
BasicHybridMatrix<Array, Scalar> build_hybrid(const BasicRowSource<Scalar>& source,
                                              std::optional<std::int32_t> ell_width,
                                              const BuildOptions& options, const EllCostModel& cost_model) {
  const std::vector<std::int64_t> lengths = count_rows(source, options_of_pass(options, 0.0, 0.5));
  return build_hybrid(source, lengths, ell_width ? *ell_width : choose_ell_width(lengths, cost_model),
                      options_of_pass(options, 0.5, 1.0));
}

template <class Scalar>
BasicHybridMatrix<Array, Scalar> build_hybrid(const BasicRowSource<Scalar>& source,
                                              std::span<const std::int64_t> lengths, std::int32_t ell_width,
                                              const BuildOptions& options) {
  if (ell_width < 0) throw DimensionError("a hybrid matrix needs ell_width >= 0");
  BasicHybridMatrix<Array, Scalar> a;
  a.num_rows = checked_rows(source, lengths, "build_hybrid");
  a.num_columns = source.num_columns();
  const std::int64_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  a.ell_width = static_cast<std::int32_t>(std::min<std::int64_t>(ell_width, longest));
  allocate_and_fill(a, source, lengths, options);
  return a;
}

template <class Scalar>
BasicHybridMatrix<Array, Scalar> build_hybrid_by_columns(const BasicRowSource<Scalar>& source,
                                                         std::span<const std::int64_t> lengths,
                                                         std::int64_t reference_columns,
                                                         const BuildOptions& options) {
  BasicHybridMatrix<Array, Scalar> a;
  a.num_rows = checked_rows(source, lengths, "build_hybrid");
  a.num_columns = source.num_columns();
  if (reference_columns < 0 || reference_columns > a.num_columns) {
    throw DimensionError("a hybrid matrix needs 0 <= reference_columns <= columns");
  }
  a.ell_counts = Array<std::int32_t>(lengths.size());
  fill_rows(source, lengths, options_of_pass(options, 0.0, 0.5), [&](const BasicMatrixRow<Scalar>& row) {
    const auto left = std::lower_bound(row.columns.begin(), row.columns.end(), reference_columns);
    a.ell_counts[row.index] = static_cast<std::int32_t>(left - row.columns.begin());
  });
  for (const std::int32_t count : a.ell_counts) a.ell_width = std::max(a.ell_width, count);
  allocate_and_fill(a, source, lengths, options_of_pass(options, 0.5, 1.0));
  return a;
}

void spmv(const HybridMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  multiply_plainly(parts_of(a), x, y);
}

void spmv(const HybridMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  multiply_in_parallel(parts_of(a), work_before(a), x, y, workspace, update);
}

void spmv(const ComplexHybridMatrix& a, ConstComplexHostView x, ComplexHostView y) {
  multiply_complex_plainly<Complex>(a.num_rows, a.num_columns, parts_of(a), x, y);
}

void spmv(const QuaternionHybridMatrix& a, ConstComplexHostView x, ComplexHostView y) {
  multiply_complex_plainly<Quaternion>(a.num_rows, a.num_columns, parts_of(a), x, y);
}

void spmv(const ComplexHybridMatrix& a, ConstComplexHostView x, ComplexHostView y, SpmvWorkspace& workspace,
          ProductUpdate update) {
  multiply_complex<Complex>(a.num_rows, a.num_columns, parts_of(a), work_before(a), x, y, workspace, update);
}

void spmv(const QuaternionHybridMatrix& a, ConstComplexHostView x, ComplexHostView y,
          SpmvWorkspace& workspace, ProductUpdate update) {
  multiply_complex<Quaternion>(a.num_rows, a.num_columns, parts_of(a), work_before(a), x, y, workspace,
                               update);
}

#define INSTANTIATE(Scalar)                                                                                  \
  template BasicHybridMatrix<Array, Scalar> build_hybrid(                                                    \
      const BasicRowSource<Scalar>&, std::optional<std::int32_t>, const BuildOptions&, const EllCostModel&); \
  template BasicHybridMatrix<Array, Scalar> build_hybrid(                                                    \
      const BasicRowSource<Scalar>&, std::span<const std::int64_t>, std::int32_t, const BuildOptions&);      \
  template BasicHybridMatrix<Array, Scalar> build_hybrid_by_columns(                                         \
      const BasicRowSource<Scalar>&, std::span<const std::int64_t>, std::int64_t, const BuildOptions&);
INSTANTIATE(double)
INSTANTIATE(Complex)
INSTANTIATE(Quaternion)
#undef INSTANTIATE

}  // namespace cisolve
