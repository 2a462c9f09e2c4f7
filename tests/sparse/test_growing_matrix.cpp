// SPDX-License-Identifier: MIT
#include "cisolve/sparse/growing_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve {
namespace test_growing_matrix {

using test::ListedSource;

/// The rows of uneven_matrix made symmetric, with some zeros on the diagonal; the first `n` of them and their columns.
ListedSource symmetric_matrix(std::int64_t n) {
  constexpr std::int64_t largest = 700;
  const ListedSource uneven = test::uneven_matrix(largest);
  std::vector<std::map<ColumnIndex, double>> elements(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < uneven.row(i).columns.size(); ++k) {
      const ColumnIndex j = uneven.row(i).columns[k];
      if (j > i) continue;
      elements[i][j] = elements[j][static_cast<ColumnIndex>(i)] = uneven.row(i).values[k];
    }
  }
  std::vector<ListedSource::Row> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (const auto& [column, value] : elements[i]) {
      rows[i].columns.push_back(column);
      rows[i].values.push_back(value);
    }
  }
  return ListedSource(rows);
}

/// Grown in pieces.
GrowingMatrix grown(std::initializer_list<std::int64_t> sizes, std::int64_t rows_per_chunk = 37) {
  GrowingMatrix matrix;
  for (const std::int64_t n : sizes) matrix.append(symmetric_matrix(n), {.rows_per_chunk = rows_per_chunk});
  return matrix;
}

void expect_products_of(const ListedSource& source, const GrowingMatrix& matrix) {
  const CsrMatrix csr = build_csr(source);
  const std::int64_t n = csr.num_rows, stride = n + 3;
  EXPECT_EQ(matrix.num_rows(), n);
  EXPECT_EQ(matrix.num_nonzeros(), csr.num_nonzeros());
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 3, 4, 7}) {
    const std::vector<double> x =
        test::random_vector(static_cast<std::size_t>(stride) * static_cast<std::size_t>(k), 7);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> plain(x.size(), nan), fast(x.size(), nan);
    const ConstHostView view{x.data(), n, k, stride};
    matrix.multiply_plainly(view, {plain.data(), n, k, stride});
    matrix.multiply(view, {fast.data(), n, k, stride}, workspace);
    constexpr double limit = 1e-14;  // of sums of some hundred terms
    EXPECT_LE(test::product_error(csr, view, {plain.data(), n, k, stride}), limit);
    EXPECT_LE(test::product_error(csr, view, {fast.data(), n, k, stride}), limit);
  }
}

TEST(GrowingMatrix, HasTheProductsOfAllRowsHoweverItGrew) {
  for (const std::int64_t n : {1, 2, 33, 700}) expect_products_of(symmetric_matrix(n), grown({n}));
  expect_products_of(symmetric_matrix(700), grown({1, 4, 5, 90, 699, 700}));
  expect_products_of(symmetric_matrix(700), grown({0, 350, 350, 700}));
}

TEST(GrowingMatrix, ProductsDoNotDependOnThreads) {
  const GrowingMatrix matrix = grown({200, 700});
  const std::vector<double> x = test::random_vector(2 * 700, 3);
  std::vector<std::vector<double>> products;
  for (const int threads : {1, 2, 5}) {
    const ThreadScope scope(threads);
    SpmvWorkspace workspace;
    std::vector<double> y(x.size());
    matrix.multiply({x.data(), 700, 2, 700}, {y.data(), 700, 2, 700}, workspace);
    products.push_back(y);
  }
  EXPECT_EQ(products[0], products[1]);
  EXPECT_EQ(products[0], products[2]);
}

TEST(GrowingMatrix, ProductsAreAdded) {
  const GrowingMatrix matrix = grown({200, 700});
  const std::vector<double> x = test::random_vector(3 * 700, 3), before = test::random_vector(3 * 700, 4);
  std::vector<double> product(x.size()), added = before;
  SpmvWorkspace workspace;
  matrix.multiply({x.data(), 700, 3, 700}, {product.data(), 700, 3, 700}, workspace);
  matrix.multiply({x.data(), 700, 3, 700}, {added.data(), 700, 3, 700}, workspace, ProductUpdate::add);
  for (std::size_t i = 0; i < added.size(); ++i) ASSERT_EQ(added[i], before[i] + product[i]);
}

TEST(GrowingMatrix, RestrictsItselfToRows) {
  const GrowingMatrix whole = grown({350, 700});
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < 700; row += 1 + row % 3) rows.push_back(row);
  const ListedSource source = symmetric_matrix(700);
  std::vector<ListedSource::Row> kept(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const ListedSource::Row& row = source.row(rows[r]);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const auto at = std::ranges::lower_bound(rows, row.columns[k]);
      if (at == rows.end() || *at != row.columns[k]) continue;
      kept[r].columns.push_back(static_cast<ColumnIndex>(at - rows.begin()));
      kept[r].values.push_back(row.values[k]);
    }
  }
  GrowingMatrix part = whole.restricted_to(rows);
  expect_products_of(ListedSource(kept), part);
  EXPECT_EQ(whole.restricted_to({}).num_rows(), 0);
}

TEST(GrowingMatrix, StaysAsItWasWhereRowsFail) {
  GrowingMatrix matrix = grown({100});
  EXPECT_THROW(matrix.append(symmetric_matrix(99)), DimensionError);
  EXPECT_THROW(matrix.append(test::uneven_matrix(700, 701, 1)), DimensionError);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(matrix.append(symmetric_matrix(700), {.stop = stop.get_token()}), Interrupted);
  expect_products_of(symmetric_matrix(100), matrix);
}

}  // namespace test_growing_matrix
}  // namespace cisolve
