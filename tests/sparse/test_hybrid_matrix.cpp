// SPDX-License-Identifier: MIT
#include "cisolve/sparse/hybrid_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve {
namespace test_hybrid_matrix {

using test::ListedSource;
using test::random_vector;
using test::rounding_bound;
using test::uneven_matrix;

TEST(HybridMatrix, HoldsHandMadeRows) {
  // [[1, 2, 3], [2, 0, 0], [3, 0, 4]], ELL width 1.
  const ListedSource source({{{0, 1, 2}, {1, 2, 3}}, {{0}, {2}}, {{0, 2}, {3, 4}}});
  const HybridMatrix a = build_hybrid(source, 1);
  constexpr ColumnIndex none = padding_index;

  EXPECT_EQ(a.ell_stride, 4);
  EXPECT_EQ(std::vector(a.ell_columns.begin(), a.ell_columns.end()),
            (std::vector<ColumnIndex>{0, none, none, none, 0, none, none, none, 0, none, none, none}));
  EXPECT_EQ(std::vector(a.ell_values.begin(), a.ell_values.end()),
            (std::vector<double>{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(std::vector(a.row_counts.begin(), a.row_counts.end()), (std::vector<std::int32_t>{3, 1, 2}));
  EXPECT_EQ(std::vector(a.tail_offsets.begin(), a.tail_offsets.end()),
            (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(std::vector(a.tail_columns.begin(), a.tail_columns.end()), (std::vector<ColumnIndex>{1, 2, 2}));
  EXPECT_EQ(std::vector(a.tail_values.begin(), a.tail_values.end()), (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(a.num_nonzeros(), 6);
  EXPECT_EQ(a.num_tail_nonzeros(), 3);
  EXPECT_EQ(array_bytes(a), 12 * 12 + 3 * 4 + 4 * 8 + 3 * 12);

  const std::vector<double> x = {1, 10, 100};
  std::vector<double> y(3);
  spmv(a, {x.data(), 3, 1, 3}, {y.data(), 3, 1, 3});
  EXPECT_EQ(y, (std::vector<double>{321, 2, 403}));
}

// Sizes around a chunk; pure CSR, widths around the alignment, pure ELL, automatic (-1).
class HybridMatrixOfShape : public ::testing::TestWithParam<std::tuple<std::int64_t, int>> {
protected:
  std::int64_t n() const { return std::get<0>(GetParam()); }
  HybridMatrix build(const RowSource& source) const {
    const int width = std::get<1>(GetParam());
    return width < 0 ? build_hybrid(source) : build_hybrid(source, width);
  }
};

TEST_P(HybridMatrixOfShape, SplitsTheRowsOfTheSource) {
  const ListedSource source = uneven_matrix(n());
  const HybridMatrix a = build(source);
  const int asked = std::get<1>(GetParam());
  std::int64_t longest = 0;
  std::int64_t tail_nonzeros = 0;
  for (std::int64_t i = 0; i < n(); ++i) longest = std::max(longest, std::ssize(source.row(i).columns));
  if (asked >= 0) {
    EXPECT_EQ(a.ell_width, std::min<std::int64_t>(asked, longest));
  }
  EXPECT_EQ(a.ell_stride % ell_alignment, 0);

  for (std::int64_t i = 0; i < n(); ++i) {
    const std::size_t at = i;
    const ColumnIndex* slots = a.ell_columns.data() + i * a.ell_stride;
    const double* values = a.ell_values.data() + i * a.ell_stride;
    const auto in_ell = std::min(a.row_counts[at], a.ell_width);
    std::vector<ColumnIndex> columns(slots, slots + in_ell);
    std::vector<double> row_values(values, values + in_ell);
    for (auto k = in_ell; k < a.ell_stride; ++k) {
      ASSERT_EQ(slots[k], padding_index);
      ASSERT_EQ(values[k], 0.0);
    }
    columns.insert(columns.end(), a.tail_columns.data() + a.tail_offsets[at],
                   a.tail_columns.data() + a.tail_offsets[at + 1]);
    row_values.insert(row_values.end(), a.tail_values.data() + a.tail_offsets[at],
                      a.tail_values.data() + a.tail_offsets[at + 1]);
    ASSERT_EQ(columns, source.row(i).columns) << "row " << i;
    ASSERT_EQ(row_values, source.row(i).values) << "row " << i;
    tail_nonzeros += std::max<std::int64_t>(std::ssize(columns) - a.ell_width, 0);
  }
  EXPECT_EQ(a.num_tail_nonzeros(), tail_nonzeros);
}

TEST_P(HybridMatrixOfShape, ProductsMatchCsr) {
  const ListedSource source = uneven_matrix(n());
  const CsrMatrix csr = build_csr(source);
  const HybridMatrix a = build(source);
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 3, 4, 7}) {
    const std::vector<double> x = random_vector(n() * k, 7);
    std::vector<double> expected(x.size()), plain(x.size(), -1.0), parallel(x.size(), -1.0);
    const ConstHostView view{x.data(), n(), k, n()};
    spmv(csr, view, {expected.data(), n(), k, n()});
    spmv(a, view, {plain.data(), n(), k, n()});
    spmv(a, view, {parallel.data(), n(), k, n()}, workspace);

    EXPECT_EQ(plain, expected);  // The same order of summation.
    const std::vector<double> bound = rounding_bound(csr, view);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(parallel[i], expected[i], bound[i]) << i;
  }
}

TEST_P(HybridMatrixOfShape, SizeIsForetold) {
  const ListedSource source = uneven_matrix(n());
  const HybridMatrix a = build(source);
  const auto lengths = count_rows(source);
  const int asked = std::get<1>(GetParam());
  const StorageSizes sizes =
      storage_sizes(lengths, asked < 0 ? std::nullopt : std::optional<std::int32_t>(asked));
  EXPECT_EQ(sizes.hybrid_bytes, array_bytes(a));
  EXPECT_EQ(sizes.ell_width, a.ell_width);
  EXPECT_EQ(sizes.tail_nonzeros, a.num_tail_nonzeros());
  EXPECT_EQ(sizes.nonzeros, a.num_nonzeros());
  EXPECT_EQ(sizes.csr_bytes, array_bytes(build_csr(source)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, HybridMatrixOfShape,
                         ::testing::Combine(::testing::Values(0, 1, 5, 255, 256, 257, 1000),
                                            ::testing::Values(0, 1, 3, 4, 5, 32, 100000, -1)));

TEST(HybridMatrix, NegativeWidthIsRefused) {
  EXPECT_THROW(build_hybrid(uneven_matrix(5), -1), DimensionError);
}

TEST(RegionStatistics, CountsBothSidesOfTheBoundary) {
  const std::int64_t n = 300;
  const ListedSource source = uneven_matrix(n);
  const CsrMatrix csr = build_csr(source);
  for (const std::int64_t boundary : {0, 1, 17, 299, 300}) {
    std::int64_t reference = 0;
    for (const ColumnIndex column : csr.columns) reference += column < boundary ? 1 : 0;
    const double total = static_cast<double>(csr.num_nonzeros());

    const RegionCounter counter(source, boundary);
    for (int pass = 0; pass < 2; ++pass) {  // Counting a row again does not count it twice.
      build_hybrid(counter, 5);
      const RegionStatistics found = counter.statistics();
      EXPECT_EQ(found.reference_nonzeros, reference);
      EXPECT_EQ(found.expansion_nonzeros, csr.num_nonzeros() - reference);
      EXPECT_DOUBLE_EQ(found.sparsity(), 1.0 - total / (300.0 * 300.0));
      const double part = static_cast<double>(reference);
      if (boundary == 0) {
        EXPECT_TRUE(std::isnan(found.reference_sparsity()));
      } else {
        EXPECT_DOUBLE_EQ(found.reference_sparsity(), 1.0 - part / (300.0 * static_cast<double>(boundary)));
      }
      if (boundary == n) {
        EXPECT_TRUE(std::isnan(found.expansion_sparsity()));
      } else {
        EXPECT_DOUBLE_EQ(found.expansion_sparsity(),
                         1.0 - (total - part) / (300.0 * static_cast<double>(n - boundary)));
      }
    }
  }
  EXPECT_THROW(RegionCounter(source, n + 1), DimensionError);
  EXPECT_THROW(RegionCounter(source, -1), DimensionError);
}

TEST(HybridMatrix, BoundaryByColumnsDividesTheRegions) {
  const std::int64_t n = 300;
  const ListedSource source = uneven_matrix(n);
  const auto lengths = count_rows(source);
  for (const std::int64_t boundary : {0, 1, 17, 299, 300}) {
    const HybridMatrix a = build_hybrid_by_columns(source, lengths, boundary);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::size_t at = i;
      std::vector<ColumnIndex> columns;
      for (std::int32_t k = 0; k < a.ell_counts[at]; ++k) {
        columns.push_back(a.ell_columns[i * a.ell_stride + k]);
        ASSERT_LT(columns.back(), boundary);
      }
      for (std::int64_t k = a.tail_offsets[at]; k < a.tail_offsets[at + 1]; ++k) {
        columns.push_back(a.tail_columns[k]);
        ASSERT_GE(columns.back(), boundary);
      }
      ASSERT_EQ(columns, source.row(i).columns);
    }
  }
  EXPECT_THROW(build_hybrid_by_columns(source, lengths, n + 1), DimensionError);
}

}  // namespace test_hybrid_matrix
}  // namespace cisolve
