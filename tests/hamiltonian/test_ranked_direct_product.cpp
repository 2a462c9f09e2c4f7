// SPDX-License-Identifier: MIT
// What ranks do of a product over strings, each for its own rows: against the whole of it.
#include "cisolve/hamiltonian/ranked_direct_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_ranked_direct_product {

using Shape = test::SpaceShape;

/// 40 are more than most of the spaces have strings.
constexpr int rank_counts[] = {1, 2, 3, 4, 7, 40};

/// Of a column of a whole vector, the rows that a rank has.
void take_rows(const RowMap& rows, const double* whole, double* own) {
  for (const RowMap::Slab& slab : rows.slabs())
    std::copy_n(whole + slab.first_row, slab.count, own + slab.first_local);
}

void return_rows(const RowMap& rows, const double* own, double* whole) {
  for (const RowMap::Slab& slab : rows.slabs())
    std::copy_n(own + slab.first_local, slab.count, whole + slab.first_row);
}

struct RankedProblem {
  explicit RankedProblem(const Shape& s)
      : integrals(s.integrals()), tables(integrals, 0.0), space(s.selection(integrals)), blocks(space) {}

  std::vector<RowMap> rows_of_ranks(int ranks) const {
    std::vector<RowMap> rows;
    for (int r = 0; r < ranks; ++r) rows.push_back(rows_of(space, blocks, {ranks, r}));
    return rows;
  }

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
  BlockStructure blocks;
};

/// Whole vectors, column after column.
struct Columns {
  std::vector<double> y, projected;
};

Columns of_one(const DirectProduct& product, std::span<const double> x, int columns) {
  const std::int64_t n = product.size();
  Columns all{std::vector<double>(x.size(), std::nan("")), {x.begin(), x.end()}};
  DirectWorkspace workspace;
  product.multiply({x.data(), n, columns, n}, {all.y.data(), n, columns, n}, workspace);
  product.project({all.projected.data(), n, columns, n}, workspace);
  return all;
}

/// The same from ranks: all columns at once, and the first once more.
Columns of_ranks(const RankedProblem& problem, const DirectProduct& host, int ranks,
                 std::span<const double> x, int columns) {
  const std::int64_t n = host.size();
  Columns all{std::vector<double>(x.size(), std::nan("")), std::vector<double>(x.size())};
  run_ranks(ranks, [&](const Communicator& communicator) {
    RankedDirectProduct product(problem.space, host, communicator);
    const RowMap& rows = product.rows();
    const std::int64_t local = product.local_rows();
    const auto diagonal = string_diagonal(problem.space, problem.tables, rows);
    product.use_diagonal(diagonal);
    const auto size = static_cast<std::size_t>(local);
    std::vector<double> own_x(size * static_cast<std::size_t>(columns)), y(own_x.size(), std::nan(""));
    for (int k = 0; k < columns; ++k) take_rows(rows, x.data() + k * n, own_x.data() + k * local);
    RankedDirectWorkspace workspace;
    product.multiply({own_x.data(), local, columns, local}, {y.data(), local, columns, local}, workspace);
    std::vector<double> again(size);
    product.multiply({own_x.data(), local, 1, local}, {again.data(), local, 1, local}, workspace);
    EXPECT_TRUE(std::equal(again.begin(), again.end(), y.begin()));
    product.project({own_x.data(), local, columns, local}, workspace);
    for (int k = 0; k < columns; ++k) {
      return_rows(rows, y.data() + k * local, all.y.data() + k * n);
      return_rows(rows, own_x.data() + k * local, all.projected.data() + k * n);
    }
  });
  return all;
}

std::vector<SpinParity> parities_of(const RankedProblem& problem) {
  if (DirectTables(problem.space, problem.tables).exchange_symmetric)
    return {SpinParity::none, SpinParity::even, SpinParity::odd};
  return {SpinParity::none};
}

void expect_that_of_one_rank(const Shape& shape, std::span<const int> counts) {
  const RankedProblem problem(shape);
  const auto diagonal = string_diagonal(problem.space, problem.tables);
  constexpr int columns = 3;
  const auto x = test::random_vector(diagonal.size() * columns, 7);
  for (const SpinParity parity : parities_of(problem)) {
    const Columns expected =
        of_one(DirectProduct(problem.space, problem.tables, diagonal, parity), x, columns);
    const DirectProduct host(problem.space, problem.tables, {}, parity);
    for (const int ranks : counts) {
      const Columns found = of_ranks(problem, host, ranks, x, columns);
      // To the last bit: each element is one rank's sum in the order that it has on one.
      EXPECT_EQ(found.y, expected.y) << ranks << " ranks, parity " << static_cast<int>(parity);
      EXPECT_EQ(found.projected, expected.projected)
          << ranks << " ranks, parity " << static_cast<int>(parity);
    }
  }
}

class RankedDirectProducts : public testing::TestWithParam<Shape> {};

TEST_P(RankedDirectProducts, GiveEachRankItsRowsOfTheProduct) {
  expect_that_of_one_rank(GetParam(), rank_counts);
}

TEST_P(RankedDirectProducts, CutTheRowsIntoPartsWithoutGapOrOverlap) {
  const RankedProblem problem(GetParam());
  for (const int ranks : rank_counts) {
    std::vector<int> owners(static_cast<std::size_t>(problem.space.size()), 0);
    for (const RowMap& rows : problem.rows_of_ranks(ranks)) {
      EXPECT_EQ(rows.rows(), problem.space.size());
      for (std::int64_t local = 0; local < rows.local_rows(); ++local) {
        ++owners[static_cast<std::size_t>(rows.global(local))];
        EXPECT_EQ(rows.local(rows.global(local)), local);
      }
    }
    EXPECT_TRUE(std::ranges::all_of(owners, [](int count) { return count == 1; })) << ranks << " ranks";
  }
}

TEST_P(RankedDirectProducts, HaveTheirRowsOfTheDiagonal) {
  const RankedProblem problem(GetParam());
  const auto whole = string_diagonal(problem.space, problem.tables);
  for (const int ranks : rank_counts) {
    std::vector<RowMap> maps = problem.rows_of_ranks(ranks);
    for (int r = 0; r < ranks; ++r)
      maps.push_back(RowMap::even(problem.space.size(), ranks, r));  // cuts runs
    for (const RowMap& rows : maps) {
      const auto own = string_diagonal(problem.space, problem.tables, rows);
      std::vector<double> expected(static_cast<std::size_t>(rows.local_rows()));
      take_rows(rows, whole.data(), expected.data());
      EXPECT_TRUE(std::ranges::equal(own, expected)) << ranks << " ranks";
    }
  }
}

TEST_P(RankedDirectProducts, HaveTheirRowsOfTheSpin) {
  const RankedProblem problem(GetParam());
  const StringSpin spin(problem.space);
  const auto x = test::random_vector(static_cast<std::size_t>(problem.space.size()), 3);
  std::vector<double> whole(x.size());
  spin.multiply(x, whole);
  for (const int ranks : rank_counts) {
    for (const RowMap& rows : problem.rows_of_ranks(ranks)) {
      std::vector<double> own(static_cast<std::size_t>(rows.local_rows()), std::nan("")),
          expected(own.size());
      spin.multiply_rows(rows, x, own);
      take_rows(rows, whole.data(), expected.data());
      EXPECT_EQ(own, expected) << ranks << " ranks";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RankedDirectProducts, testing::ValuesIn(test::small_product_spaces()));

// Runs that have parts of classes, whose rows are not consecutive.
INSTANTIATE_TEST_SUITE_P(
    BoundedShapes, RankedDirectProducts,
    testing::Values(
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3}, {2, 1}, {2, 1}),
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1},
                      {3, 2}),
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 3, .level = 4, .num_irreps = 2}, {2, 1}, {3, 2})));

class LargeRankedDirectProducts : public testing::TestWithParam<Shape> {};

TEST_P(LargeRankedDirectProducts, GiveEachRankItsRowsOfTheProduct) {
  const ThreadScope threads(6);  // two of each of three ranks
  expect_that_of_one_rank(GetParam(), std::vector{3});
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LargeRankedDirectProducts,
    testing::Values(Shape{.orbitals = 10, .alpha = 5, .beta = 5},
                    Shape{.orbitals = 13, .alpha = 6, .beta = 2},  // a class of 1716 strings
                    Shape{.orbitals = 14, .alpha = 5, .beta = 4, .level = 3, .irrep = 0, .num_irreps = 4},
                    test::unrestricted({.orbitals = 10, .alpha = 5, .beta = 5})));

TEST(RankedDirectProduct, OfOneRankTakesAnotherVectorOfMemory) {
  const RankedProblem problem({.orbitals = 8, .alpha = 4, .beta = 3, .level = 3});
  const DirectProduct host(problem.space, problem.tables, {});
  const SoloCommunicator solo;
  const RankedDirectProduct product(problem.space, host, solo);
  EXPECT_EQ(product.workspace_bytes(), host.workspace_bytes() + 8 * problem.space.size());
}

TEST(RankedDirectProduct, HasTheShiftOfTheWholeDiagonal) {
  const RankedProblem problem({.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4});
  const DirectProduct host(problem.space, problem.tables, {}, SpinParity::odd);
  const double largest = std::ranges::max(string_diagonal(problem.space, problem.tables));
  run_ranks(3, [&](const Communicator& ranks) {
    RankedDirectProduct product(problem.space, host, ranks);
    const auto diagonal = string_diagonal(problem.space, problem.tables, product.rows());
    product.use_diagonal(diagonal);
    EXPECT_EQ(product.shift(), largest);
  });
}

TEST(RankedDirectProduct, RefusesWhatIsNotOfItsRows) {
  const RankedProblem problem({.orbitals = 6, .alpha = 3, .beta = 3});
  const RankedProblem other({.orbitals = 6, .alpha = 3, .beta = 2});
  const DirectProduct host(problem.space, problem.tables, {}, SpinParity::even);
  const SoloCommunicator solo;
  EXPECT_THROW(RankedDirectProduct(other.space, host, solo), DimensionError);
  RankedDirectProduct product(problem.space, host, solo);
  const std::int64_t n = problem.space.size();
  std::vector<double> x(static_cast<std::size_t>(n)), y(x.size());
  RankedDirectWorkspace workspace;
  EXPECT_THROW(product.multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace), DimensionError)
      << "no diagonal";
  EXPECT_THROW(product.use_diagonal(std::span(x).first(3)), DimensionError);
  product.use_diagonal(x);
  EXPECT_THROW(product.multiply({x.data(), n - 1, 1, n}, {y.data(), n, 1, n}, workspace), DimensionError);
  EXPECT_THROW(product.project({x.data(), n - 1, 1, n}, workspace), DimensionError);
}

TEST(StringSpins, RefuseRowsThatCutARun) {
  const RankedProblem problem({.orbitals = 6, .alpha = 3, .beta = 3});  // runs of 20
  const StringSpin spin(problem.space);
  const std::vector<double> x(400, 1.0);
  for (const auto& [first, count] : {std::pair(0, 30), std::pair(10, 10), std::pair(30, 370)}) {
    const RowMap rows(400, {{first, count}});
    std::vector<double> y(static_cast<std::size_t>(count));
    EXPECT_THROW(spin.multiply_rows(rows, x, y), DimensionError);
  }
  std::vector<double> y(20);
  EXPECT_THROW(spin.multiply_rows(RowMap::whole(400), x, y), DimensionError);
  EXPECT_THROW(string_diagonal(problem.space, problem.tables, RowMap::whole(399)), DimensionError);
}

}  // namespace test_ranked_direct_product
}  // namespace cisolve
