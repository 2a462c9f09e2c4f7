// SPDX-License-Identifier: MIT
// What every row of the table of formats has to keep of matrices that are not square: some rows of a larger one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/ranged_rows.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/instruction_limit.hpp"
#include "sparse/coded_source.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve {
namespace test_rectangular_formats {

using test::CodedSource;
using test::FormatCase;
using test::ListedSource;
using test::random_vector;
using test::uneven_matrix;

std::unique_ptr<StoredMatrix> build(const FormatCase& wanted, const RowSource& source) {
  return wanted.format().build(source, count_rows(source), wanted.options, {});
}

std::string name_of(const ::testing::TestParamInfo<FormatCase>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}

class RectangularFormat : public ::testing::TestWithParam<FormatCase> {
protected:
  /// Rows and columns: none, one, few and many of either, around slices and blocks.
  static constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
      {0, 7}, {1, 300}, {5, 1}, {33, 5}, {31, 257}, {257, 64}, {64, 1000}, {1000, 211}};
};

TEST_P(RectangularFormat, ProductsMatchLongDoubleSums) {
  for (const auto& [n, m] : shapes) {
    SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m));
    const ListedSource source = uneven_matrix(n, m, 5);
    const CsrMatrix csr = build_csr(source);
    const auto a = build(GetParam(), source);
    EXPECT_EQ(a->num_rows(), n);
    EXPECT_EQ(a->num_columns(), m);
    EXPECT_EQ(a->num_nonzeros(), csr.num_nonzeros());
    SpmvWorkspace workspace;
    for (const int k : {1, 2, 3, 4, 8}) {
      constexpr double error_limit = 1e-14;
      const std::vector<double> x = random_vector((m + 3) * k, 7);
      const double nan = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> plain(n * k, nan), fast(n * k, nan);
      const ConstHostView view{x.data(), m, k, m + 3};
      a->multiply_plainly(view, {plain.data(), n, k, n});
      EXPECT_LE(test::product_error(csr, view, {plain.data(), n, k, n}), error_limit);
      for (const InstructionSet set : test::all_instruction_sets) {
        const test::InstructionLimit limit(set);
        a->multiply(view, {fast.data(), n, k, n}, workspace);
        EXPECT_LE(test::product_error(csr, view, {fast.data(), n, k, n}), error_limit);
      }
    }
  }
}

TEST_P(RectangularFormat, ProductsAreAddedToWhatThereIs) {
  for (const auto& [n, m] : shapes) {
    const auto a = build(GetParam(), uneven_matrix(n, m, 5));
    SpmvWorkspace workspace;
    for (const int k : {1, 2, 3, 4, 8}) {
      const std::vector<double> x = random_vector(m * k, 7), before = random_vector(n * k, 8);
      std::vector<double> product(n * k), added = before;
      a->multiply({x.data(), m, k, m}, {product.data(), n, k, n}, workspace);
      a->multiply({x.data(), m, k, m}, {added.data(), n, k, n}, workspace, ProductUpdate::add);
      for (std::size_t i = 0; i < added.size(); ++i) {
        if (a->format() == "csb")  // adds block by block: to terms of some hundred
          ASSERT_NEAR(added[i], before[i] + product[i], 1e-12);
        else
          ASSERT_EQ(added[i], before[i] + product[i]);
      }
    }
  }
}

TEST_P(RectangularFormat, SizesAreForetold) {
  if (GetParam().format().name == "coded") GTEST_SKIP() << "an estimate from a sample";
  for (const auto& [n, m] : shapes) {
    const ListedSource source = uneven_matrix(n, m, 5);
    FormatOptions options = GetParam().options;
    options.num_columns = m;
    const std::int64_t foretold = GetParam().format().bytes_for(count_rows(source), options);
    if (options.reference_columns)
      EXPECT_LE(build(GetParam(), source)->bytes(), foretold);
    else
      EXPECT_EQ(build(GetParam(), source)->bytes(), foretold);
  }
}

TEST_P(RectangularFormat, ShapesAndColumnsAreChecked) {
  const auto a = build(GetParam(), uneven_matrix(20, 30, 5));
  std::vector<double> x(60), y(60);
  SpmvWorkspace workspace;
  EXPECT_THROW(a->multiply({x.data(), 20, 1, 20}, {y.data(), 20, 1, 20}, workspace), DimensionError);
  EXPECT_THROW(a->multiply({x.data(), 30, 1, 30}, {y.data(), 30, 1, 30}, workspace), DimensionError);
  EXPECT_THROW(a->multiply({x.data(), 30, 2, 30}, {y.data(), 20, 1, 20}, workspace), DimensionError);
  EXPECT_THROW(a->multiply_plainly({x.data(), 20, 1, 20}, {y.data(), 20, 1, 20}), DimensionError);
  EXPECT_THROW(a->multiply_plainly({x.data(), 30, 1, 30}, {y.data(), 30, 1, 30}), DimensionError);
  EXPECT_NO_THROW(build(GetParam(), ListedSource({{{0, 4}, {1.0, 2.0}}}, 5)));
  EXPECT_THROW(build(GetParam(), ListedSource({{{0, 5}, {1.0, 2.0}}}, 5)), DimensionError);
  EXPECT_THROW(build(GetParam(), ListedSource({{{0, 1}, {1.0, 2.0}}, {}, {}}, 1)), DimensionError);
}

INSTANTIATE_TEST_SUITE_P(Table, RectangularFormat, ::testing::ValuesIn(test::format_cases()), name_of);

/// Rows that each of so many ranks has: equal parts, the last ones fewer or none.
std::vector<RowRange> shares_of(std::int64_t rows, std::int64_t ranks) {
  const std::int64_t most = (rows + ranks - 1) / ranks;
  std::vector<RowRange> shares;
  for (std::int64_t r = 0; r < ranks; ++r)
    shares.push_back({std::min(r * most, rows), std::min((r + 1) * most, rows)});
  return shares;
}

constexpr int rank_counts[] = {1, 2, 3, 4, 7};

class RowShares : public ::testing::TestWithParam<FormatCase> {
protected:
  /// Whether the order of a row's sum depends on that row alone: where no width is given, hybrid formats choose it by all
  /// their rows.
  static bool sums_are_of_rows_alone() {
    return GetParam().name != "hybrid" && GetParam().name != "hybrid-paper";
  }
};

TEST_P(RowShares, TogetherHaveTheProductOfTheWhole) {
  for (const std::int64_t n : {5, 33, 301}) {
    const ListedSource source = uneven_matrix(n);
    const CsrMatrix csr = build_csr(source);
    const auto whole = build(GetParam(), source);
    SpmvWorkspace workspace;
    for (const int ranks : rank_counts) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(ranks) + " ranks");
      for (const int k : {1, 3, 4, 8}) {
        const std::vector<double> x = random_vector(n * k, 7);
        const ConstHostView view{x.data(), n, k, n};
        std::vector<double> expected(x.size()), rows(x.size()), parts(x.size());
        whole->multiply(view, {expected.data(), n, k, n}, workspace);
        for (const RowRange& share : shares_of(n, ranks)) {
          const HostView to_rows{rows.data() + share.first, share.size(), k, n};
          build(GetParam(), RangedRows(source, share))->multiply(view, to_rows, workspace);
          const HostView to_parts{parts.data() + share.first, share.size(), k, n};
          const RangedRows near(source, share, ColumnPart{share, true}),
              far(source, share, ColumnPart{share, false});
          build(GetParam(), near)->multiply(view, to_parts, workspace);
          build(GetParam(), far)->multiply(view, to_parts, workspace, ProductUpdate::add);
        }
        constexpr double error_limit = 1e-13;
        if (sums_are_of_rows_alone()) {
          EXPECT_EQ(rows, expected);
        }
        EXPECT_LE(test::product_error(csr, view, {rows.data(), n, k, n}), error_limit);
        EXPECT_LE(test::product_error(csr, view, {parts.data(), n, k, n}), error_limit);
      }
    }
  }
}

/// A hybrid matrix by reference columns has them in each part; one case has a column of them.
INSTANTIATE_TEST_SUITE_P(Table, RowShares, ::testing::ValuesIn(test::format_cases()), name_of);

/// Near and far parts, coded, of all ranks.
void expect_coded_shares(const RowSource& source, const CodedLayout& layout) {
  const std::int64_t n = source.num_rows();
  const CsrMatrix csr = build_csr(source);
  const CodedMatrix whole = build_coded(source, {}, layout);
  constexpr int k = 3;
  const std::vector<double> x = random_vector(n * k, 7);
  const ConstHostView view{x.data(), n, k, n};
  SpmvWorkspace workspace;
  for (const int ranks : rank_counts) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    std::vector<double> y(x.size());
    std::int64_t nonzeros = 0, coded = 0;
    for (const RowRange& share : shares_of(n, ranks)) {
      for (const bool is_near : {true, false}) {
        const RangedRows rows(source, share, ColumnPart{share, is_near});
        const CodedMatrix a = build_coded(rows, count_rows(rows), {}, layout);
        EXPECT_EQ(a.order.size(), 0U);
        nonzeros += a.num_nonzeros();
        coded += a.num_coded;
        spmv(a, view, {y.data() + share.first, share.size(), k, n}, workspace,
             is_near ? ProductUpdate::assign : ProductUpdate::add);
      }
    }
    EXPECT_EQ(nonzeros, whole.num_nonzeros());
    // Where the dictionary is full, parts have fewer values, and more of them have a place.
    EXPECT_GE(coded, whole.num_coded);
    EXPECT_LE(coded, whole.num_coded + whole.num_uncoded_values);
    constexpr double error_limit = 1e-13;
    EXPECT_LE(test::product_error(csr, view, {y.data(), n, k, n}), error_limit);
  }
}

TEST(CodedShares, TogetherHaveTheProductOfTheWhole) {
  const auto source = [] { return test::ci_like_source(1500, 60, 300); };
  expect_coded_shares(source(), {});
  expect_coded_shares(test::NumberingSource(source()), {});
  expect_coded_shares(test::NumberingSource(source()), {.max_codes = 50});
  expect_coded_shares(test::NumberingSource(source().shuffled()), {.row_order = RowOrder::local});
  expect_coded_shares(test::NumberingSource(source()), {.narrow_jump_columns = 100});
  expect_coded_shares(test::NumberingSource(test::uneven_coded_source(77, 3)), {});
}

TEST(CodedShares, JumpsGoByTheColumns) {
  const CodedSource source = test::far_source();
  const RangedRows rows(source, {0, 4});
  EXPECT_FALSE(build_coded(rows).has_wide_jumps);
  EXPECT_TRUE(build_coded(rows, {}, {.narrow_jump_columns = 1000}).has_wide_jumps) << "of 4 rows, too";
}

}  // namespace test_rectangular_formats
}  // namespace cisolve
