// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/direct_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/instruction_limit.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_direct_product {

using test::full;
using test::random_vector;
using test::relative_distance;
using Shape = test::SpaceShape;

struct Problem {
  explicit Problem(const Shape& s)
      : integrals(s.integrals()), tables(integrals, 0.0), space(s.selection(integrals)) {}

  std::vector<double> multiply(std::span<const double> x, int columns, int threads) const {
    const ThreadScope count(threads);
    const auto diagonal = string_diagonal(space, tables);
    const DirectProduct product(space, tables, diagonal);
    DirectWorkspace workspace;
    std::vector<double> y(x.size(), std::nan(""));
    const std::int64_t n = space.size();
    product.multiply({x.data(), n, columns, n}, {y.data(), n, columns, n}, workspace);
    return y;
  }

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
};

void expect_product_of_the_stored_matrix(const Shape& shape) {
  const Problem problem(shape);
  const std::int64_t n = problem.space.size();
  ASSERT_GT(n, 0);
  constexpr int columns = 2;
  const auto x = random_vector(n * columns, 7);
  const auto rows = make_row_source(problem.space, problem.tables);
  const CsrMatrix csr = build_csr(*rows, count_rows(*rows));
  std::vector<double> expected(x.size());
  SpmvWorkspace workspace;
  spmv(csr, {x.data(), n, columns, n}, {expected.data(), n, columns, n}, workspace);
  for (const InstructionSet set : test::all_instruction_sets) {
    const test::InstructionLimit limit(set);
    const auto y = problem.multiply(x, columns, 1);
    // A few hundred roundings of 1e-16 that average out.
    EXPECT_LE(relative_distance(y, expected), 1e-13) << name_of(set);
    EXPECT_EQ(problem.multiply(x, columns, 2), y) << "sums must not depend on the number of threads";
  }
  EXPECT_EQ(problem.multiply(x, columns, 1), problem.multiply(x, columns, 1));
  const auto elements = diagonal(problem.integrals, problem.space);
  EXPECT_EQ(DirectProduct(problem.space, problem.tables, elements).count_nonzeros(), csr.num_nonzeros());
}

class DirectProducts : public testing::TestWithParam<Shape> {};
TEST_P(DirectProducts, EqualTheStoredMatrix) { expect_product_of_the_stored_matrix(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Shapes, DirectProducts, testing::ValuesIn(test::small_product_spaces()));

class LargeDirectProducts : public testing::TestWithParam<Shape> {};
TEST_P(LargeDirectProducts, EqualTheStoredMatrix) { expect_product_of_the_stored_matrix(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Shapes, LargeDirectProducts,
    testing::Values(Shape{.orbitals = 10, .alpha = 5, .beta = 5},
                    Shape{.orbitals = 13, .alpha = 6, .beta = 2},  // a class of 1716 strings
                    Shape{.orbitals = 13, .alpha = 2, .beta = 6, .irrep = 1, .num_irreps = 2},
                    Shape{.orbitals = 14, .alpha = 5, .beta = 4, .level = 3, .irrep = 0, .num_irreps = 4},
                    Shape{.orbitals = 12, .alpha = 4, .beta = 4, .level = 5, .num_irreps = 4},
                    test::unrestricted({.orbitals = 10, .alpha = 5, .beta = 5}),
                    test::unrestricted({.orbitals = 12, .alpha = 4, .beta = 5, .level = 4, .num_irreps = 4}),
                    // 10,626 strings, whose excitations are listed in several batches
                    Shape{.orbitals = 24, .alpha = 4, .beta = 0, .num_irreps = 8}));

/// Exchanges the spins of every determinant.
std::vector<double> mirrored(const ProductSpace<1>& space, std::span<const double> x) {
  std::vector<double> result(x.size());
  for (std::int64_t row = 0; row < space.size(); ++row) {
    const auto d = space.determinant(row);
    result[space.find({d.beta, d.alpha})] = x[row];
  }
  return result;
}

class SpinParities : public testing::TestWithParam<Shape> {};
TEST_P(SpinParities, RestrictHAndShiftTheRest) {
  const Problem problem(GetParam());
  const std::size_t n = problem.space.size();
  const auto size = static_cast<std::int64_t>(n);
  const auto x = random_vector(n, 7);
  const auto mirror = mirrored(problem.space, x);
  const auto elements = string_diagonal(problem.space, problem.tables);
  std::vector<std::int64_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  std::int64_t dimensions = 0;
  for (const SpinParity parity : {SpinParity::even, SpinParity::odd}) {
    const auto sign = static_cast<double>(parity);
    std::vector<double> within(n), expected(n), y(n);
    for (std::size_t i = 0; i < n; ++i) within[i] = 0.5 * (x[i] + sign * mirror[i]);
    const DirectProduct product(problem.space, problem.tables, elements, parity);
    const auto h_within = problem.multiply(within, 1, 1);
    for (std::size_t i = 0; i < n; ++i) expected[i] = h_within[i] + product.shift() * (x[i] - within[i]);
    DirectWorkspace workspace;
    product.multiply({x.data(), size, 1, size}, {y.data(), size, 1, size}, workspace);
    EXPECT_LE(relative_distance(y, expected), 1e-13);
    std::vector<double> projected = x;
    product.project({projected.data(), size, 1, size}, workspace);
    EXPECT_EQ(projected, within);
    dimensions += parity_dimension(problem.space, parity);
    if (size > 1000) continue;
    const Matrix block = dense_block(problem.integrals, problem.space, rows, parity, product.shift());
    std::vector<double> by_block(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i)
        by_block[i] += block(static_cast<int>(i), static_cast<int>(j)) * x[j];
    }
    EXPECT_LE(relative_distance(by_block, expected), 1e-12);  // a thousand terms summed one by one
  }
  EXPECT_EQ(dimensions, problem.space.size());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SpinParities,
    testing::Values(Shape{.orbitals = 6, .alpha = 3, .beta = 3},
                    Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4},
                    Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 0, .num_irreps = 8, .zeros = 0.3},
                    Shape{.orbitals = 8, .alpha = 3, .beta = 3, .level = 2, .irrep = 0, .num_irreps = 4},
                    Shape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4},
                    Shape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 5, .num_irreps = 2},
                    Shape{.orbitals = 9, .alpha = 1, .beta = 1, .irrep = 0, .num_irreps = 4},
                    Shape{.orbitals = 7, .alpha = 6, .beta = 6, .level = 3},
                    Shape{.orbitals = 9, .alpha = 4, .beta = 4}));

TEST(SpinParities, AreRefusedWhereTheSpaceHasNone) {
  const Problem problem({.orbitals = 7, .alpha = 4, .beta = 3});
  const auto elements = string_diagonal(problem.space, problem.tables);
  EXPECT_EQ(parity_dimension(problem.space, SpinParity::even), 0);
  EXPECT_THROW(DirectProduct(problem.space, problem.tables, elements, SpinParity::even), DimensionError);
}

TEST(BlockStructures, ClassesAreAsCoarseAsTheSpaceAllows) {
  const Problem whole({6, 3, 3, full, any_irrep, 1, 0.0});
  const BlockStructure one(whole.space);
  EXPECT_EQ(one.alpha.count(), 1);
  EXPECT_EQ(one.beta.count(), 1);
  EXPECT_EQ(BlockLayout(one, true).size, 20 * 24);  // 20 strings, padded to 24

  const Problem truncated({.orbitals = 6, .alpha = 3, .beta = 3, .level = 2});
  const BlockStructure levels(truncated.space);
  EXPECT_EQ(levels.alpha.count(), 3);
  std::int64_t determinants = 0;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      if (levels.is_allowed(a, b)) determinants += std::int64_t{levels.alpha.size(a)} * levels.beta.size(b);
    }
  }
  EXPECT_EQ(determinants, truncated.space.size());
}

/// In CISD strings of two excitations meet the reference alone, beside which nothing is excited.
TEST(DirectProductTables, HaveNoMeanFieldOfStringsThatMeetOneString) {
  const Problem singles_and_doubles({.orbitals = 12, .alpha = 3, .beta = 3, .level = 2});
  const DirectTables tables(singles_and_doubles.space, singles_and_doubles.tables);
  const StringClasses& classes = tables.blocks.alpha;
  ASSERT_EQ(classes.count(), 3);
  std::int64_t width = 0;
  for (int c = 0; c < 3; ++c) {
    const bool is_of_doubles = classes.size(c) == 3 * 36;
    EXPECT_EQ(classes.met[static_cast<std::size_t>(c)] == 1, is_of_doubles);
    EXPECT_EQ(tables.alpha_coulomb.class_offsets[static_cast<std::size_t>(c)] < 0, is_of_doubles);
    if (!is_of_doubles)
      width += (classes.size(c) + BlockLayout::lanes - 1) / BlockLayout::lanes * BlockLayout::lanes;
  }
  EXPECT_EQ(tables.alpha_coulomb.width, width);
  const Problem whole({6, 3, 3, full, any_irrep, 1, 0.0});
  EXPECT_EQ(DirectTables(whole.space, whole.tables).alpha_coulomb.width, 24) << "all strings of full CI";
}

TEST(DirectProductTables, DiagonalIsThatOfSlaterAndCondon) {
  for (const Shape& shape :
       {Shape{.orbitals = 7, .alpha = 4, .beta = 3, .level = 3, .irrep = 1, .num_irreps = 4},
        Shape{.orbitals = 6, .alpha = 3, .beta = 3}}) {
    const Problem problem(shape);
    const auto expected = diagonal(problem.integrals, problem.space);
    const auto found = string_diagonal(problem.space, problem.tables);
    EXPECT_LE(relative_distance(found, expected), 1e-14);
  }
}

TEST(DirectProductTables, AThresholdIsRefused) {
  const Problem problem({.orbitals = 6, .alpha = 3, .beta = 3, .level = 2});
  const IntegralTables tables(problem.integrals, 1e-10);
  const auto diagonal = string_diagonal(problem.space, tables);
  EXPECT_THROW(DirectProduct(problem.space, tables, diagonal), DimensionError);
  EXPECT_THROW(DirectProduct(problem.space, problem.tables, std::vector<double>(1)), DimensionError);
}

}  // namespace test_direct_product
}  // namespace cisolve
