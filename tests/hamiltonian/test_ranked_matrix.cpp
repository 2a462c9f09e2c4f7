// SPDX-License-Identifier: MIT
// Stored matrices of which every rank has some rows: products are those of the whole matrix.
#include "cisolve/hamiltonian/ranked_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve {
namespace test_ranked_matrix {

using test::random_vector;

constexpr std::int64_t n = 257;
constexpr int columns = 3;

/// A product by ranks, each with rows [share][columns].
std::vector<double> product_of(const RowsToStore& matrix, const std::vector<std::int64_t>& first_rows,
                               const std::vector<double>& x) {
  std::vector<double> y(x.size());
  run_ranks(static_cast<int>(first_rows.size()) - 1, [&](const Communicator& ranks) {
    const RowShares shares{first_rows, ranks.rank()};
    const RankedMatrix mine(RowsOfRank(matrix, shares).whole(), shares, ranks);
    EXPECT_EQ(mine.local_rows(), shares.own().size());
    RankedMatrixWorkspace workspace;
    const auto rows = shares.own().size();
    for (int repeat = 0; repeat < 2; ++repeat)
      mine.multiply({x.data() + shares.own().first, rows, columns, n},
                    {y.data() + shares.own().first, rows, columns, n}, workspace);
  });
  return y;
}

TEST(RankedMatrix, MakesTheProductOfTheWholeInEveryFormat) {
  const test::ListedSource source = test::uneven_matrix(n, n, 5);
  const std::vector<std::int64_t> lengths = count_rows(source);
  const std::vector<double> x = random_vector(n * columns, 7);
  const CsrMatrix csr = build_csr(source);
  for (const test::FormatCase& one : test::format_cases()) {
    SCOPED_TRACE(one.name);
    const RowsToStore matrix{source, lengths, one.format(), one.options};
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const std::vector<std::int64_t> first_rows = cut_rows(lengths, ranks);
      const std::vector<double> y = product_of(matrix, first_rows, x);
      EXPECT_LE(test::product_error(csr, {x.data(), n, columns, n}, {y.data(), n, columns, n}), 1e-14);
      EXPECT_EQ(product_of(matrix, first_rows, x), y);
    }
  }
}

TEST(RankedMatrix, MayHaveRanksWithoutRows) {
  const test::ListedSource source = test::uneven_matrix(n, n, 5);
  const FormatOptions options;
  const RowsToStore matrix{source, {}, *find_storage_format("csr"), options};
  const std::vector<double> x = random_vector(n * columns, 7);
  EXPECT_EQ(product_of(matrix, {0, 0, 100, 100, n, n}, x), product_of(matrix, {0, n}, x));
}

TEST(RankedMatrix, ChecksShapes) {
  const test::ListedSource source = test::uneven_matrix(n, n, 5);
  const FormatOptions options;
  const RowsToStore matrix{source, {}, *find_storage_format("csr"), options};
  run_ranks(2, [&](const Communicator& ranks) {
    const RowShares shares{{0, 100, n}, ranks.rank()};
    EXPECT_THROW(RankedMatrix(nullptr, shares, ranks), DimensionError);
    EXPECT_THROW(RankedMatrix(RowsOfRank(matrix, {{0, 50, n}, ranks.rank()}).whole(), shares, ranks),
                 DimensionError);
    const RankedMatrix mine(RowsOfRank(matrix, shares).whole(), shares, ranks);
    RankedMatrixWorkspace workspace;
    std::vector<double> x(n), y(n);
    EXPECT_THROW(mine.multiply({x.data(), 99, 1, n}, {y.data(), 99, 1, n}, workspace), DimensionError);
  });
}

}  // namespace test_ranked_matrix
}  // namespace cisolve
