// SPDX-License-Identifier: MIT
// Spaces whose runs have parts of classes of beta strings: bounds on holes and particles, and lists that turn
// out to be made of blocks. Rows and products against those of the same determinants as a list.
#include <gtest/gtest.h>
#include <omp.h>

#include <Eigen/Core>
#include <cmath>
#include <numeric>

#include "cisolve/core/thread_scope.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/hamiltonian/product_rows.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "space/listed_space.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_block_spaces {

using test::full;
using test::relative_distance;
using Shape = test::SpaceShape;

String range(int first, int last) { return String::lowest(last) & ~String::lowest(first); }

CsrMatrix matrix_of(const RowSource& rows) { return build_csr(rows, count_rows(rows)); }

std::vector<double> multiply(const CsrMatrix& h, const std::vector<double>& x) {
  const std::int64_t n = h.num_rows;
  std::vector<double> y(x.size());
  SpmvWorkspace workspace;
  spmv(h, {x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);
  return y;
}

std::vector<double> multiply(const DirectProduct& h, const std::vector<double>& x) {
  const std::int64_t n = h.size();
  std::vector<double> y(x.size(), std::nan(""));
  DirectWorkspace workspace;
  h.multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);
  return y;
}

Eigen::VectorXd eigenvalues(const CsrMatrix& h) {
  const auto n = static_cast<Eigen::Index>(h.num_rows);
  Eigen::MatrixXd dense(n, n);
  std::vector<double> unit(n, 0.0);
  for (Eigen::Index j = 0; j < n; ++j) {
    unit[j] = 1.0;
    const std::vector<double> column = multiply(h, unit);
    unit[j] = 0.0;
    dense.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
  }
  return symmetric_eigenvalues(dense);
}

/// The space is a product of strings, and all that is made of it equals what the list gives.
void expect_that_of_the_list(const SpaceSelection<1>& selection, const Integrals& integrals) {
  const IntegralTables tables(integrals, 0.0);
  const auto made = make_space(selection);
  const auto list = make_list(selection, list_determinants(selection));
  const auto* space = dynamic_cast<const ProductSpace<1>*>(made.get());
  ASSERT_NE(space, nullptr);
  const std::int64_t n = list->size();
  ASSERT_GT(n, 0);
  ASSERT_EQ(space->size(), n);
  EXPECT_EQ(space->num_references(), list->num_references());
  EXPECT_EQ(space->level_counts(), list->level_counts());
  std::vector<Determinant<1>> determinants(n);
  space->enumerate(0, determinants);
  EXPECT_TRUE(determinants == list->determinants());
  for (std::int64_t row = 0; row < n; row += 1 + n / 1000) {
    EXPECT_EQ(space->find(determinants[row]), row);
  }

  const CsrMatrix listed = matrix_of(ListRowSource(*list, tables));
  const ProductRowSource rows(*space, tables);
  const CsrMatrix h = matrix_of(rows);
  EXPECT_TRUE(std::equal(h.columns.begin(), h.columns.end(), listed.columns.begin(), listed.columns.end()));
  const auto x = test::random_vector(n, 17);
  const auto expected = multiply(listed, x);
  EXPECT_LE(relative_distance(multiply(h, x), expected), 1e-13);

  const auto diagonal = string_diagonal(*space, tables);
  const DirectProduct product(*space, tables, diagonal);
  const auto y = multiply(product, x);
  EXPECT_LE(relative_distance(y, expected), 1e-13);
  EXPECT_EQ(multiply(product, x), y);
  EXPECT_EQ(product.count_nonzeros(), listed.num_nonzeros());
  {
    const ThreadScope threads(omp_get_max_threads() == 1 ? 3 : 1);
    EXPECT_EQ(multiply(DirectProduct(*space, tables, diagonal), x), y)
        << "sums must not depend on the number of threads";
  }
  if (n <= 200) {
    const Eigen::VectorXd difference = eigenvalues(h) - eigenvalues(listed);
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-10);
  }
}

void expect_that_of_the_list(const Shape& shape) {
  const Integrals integrals = shape.integrals();
  expect_that_of_the_list(shape.selection(integrals), integrals);
}

class BoundedSpaces : public testing::TestWithParam<Shape> {};
TEST_P(BoundedSpaces, GiveWhatTheListGives) { expect_that_of_the_list(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Shapes, BoundedSpaces,
    testing::Values(
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3}, {2, 1},
                      {2, 1}),  // full CI between, no symmetry
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 0, .num_irreps = 4}, {2, 2},
                      {2, 2}),  // one irrep
        test::bounded({.orbitals = 8, .alpha = 3, .beta = 3, .level = 3, .num_irreps = 4}, {1, 1},
                      {3, 2}),  // levels, symmetric integrals, all irreps
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 3, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1},
                      {3, 2}),                                                                   // Ms = 1/2
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 2, .num_irreps = 2}, {3, 2}, {2, 1}),  // Ms = 1
        test::bounded({.orbitals = 8, .alpha = 5, .beta = 2, .irrep = 0, .num_irreps = 8}, {2, 1},
                      {2, 2}),  // Ms = 3/2, some irreps have no strings
        test::bounded({.orbitals = 8, .alpha = 2, .beta = 5, .level = 3, .irrep = 0, .num_irreps = 4}, {2, 1},
                      {2, 2}),  // Ms = -3/2
        test::bounded({.orbitals = 8, .alpha = 3, .beta = 3, .irrep = 3, .num_irreps = 4}, {},
                      {4, 1}),                                          // particles alone
        test::bounded({.orbitals = 8, .alpha = 3, .beta = 3}, {2, 1}),  // holes alone
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4}, {2, 0},
                      {2, 2}),  // no hole: a frozen core
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .num_irreps = 2}, {2, 2},
                      {3, 0}),  // no particle: frozen virtuals
        test::bounded({.orbitals = 8, .alpha = 3, .beta = 3}, {2, 0}, {4, 0}),  // CAS
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 5, .irrep = 0, .num_irreps = 2}, {4, 3},
                      {4, 3}),  // windows that touch: a cut at level 3
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .irrep = 0, .num_irreps = 4, .zeros = 0.3},
                      {5, 4}, {5, 3}),  // windows that overlap, zeros
        test::bounded({.orbitals = 9, .alpha = 1, .beta = 0, .num_irreps = 2}, {1, 1},
                      {3, 0}),                                          // one electron
        test::bounded({.orbitals = 9, .alpha = 0, .beta = 1}, {1, 1}),  // one determinant
        test::bounded({.orbitals = 9, .alpha = 1, .beta = 1, .irrep = 0, .num_irreps = 4}, {1, 1}, {4, 1}),
        test::bounded({.orbitals = 7, .alpha = 7, .beta = 6, .num_irreps = 2}, {3, 1}),  // a hole
        test::bounded({.orbitals = 7, .alpha = 6, .beta = 6}, {2, 1}, {1, 2}),
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3, .level = 0}, {1, 0}, {1, 0}),
        test::bounded(
            {.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 8, .zeros = 1.0},
            {2, 2}, {2, 2}),  // no integral but what is on the diagonal of h
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .irrep = 1, .num_irreps = 4, .zeros = 0.7},
                      {2, 1}, {2, 1})));

/// Out of an open shell, with all determinants of every configuration that is reached.
class CompletedSpaces : public testing::TestWithParam<Shape> {};
TEST_P(CompletedSpaces, GiveWhatTheListGives) {
  const Integrals integrals = GetParam().integrals();
  auto selection = GetParam().selection(integrals);
  selection.spin_complete = true;
  ASSERT_TRUE(is_product(selection));
  expect_that_of_the_list(selection, integrals);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CompletedSpaces,
    testing::Values(
        Shape{.orbitals = 12, .alpha = 3, .beta = 2, .level = 2},                                // Ms = 1/2
        Shape{.orbitals = 9, .alpha = 5, .beta = 3, .level = 2, .irrep = 0, .num_irreps = 4},    // Ms = 1
        Shape{.orbitals = 8, .alpha = 2, .beta = 5, .level = 3, .irrep = 1, .num_irreps = 2},    // Ms = -3/2
        Shape{.orbitals = 8, .alpha = 5, .beta = 1, .level = 1, .num_irreps = 2, .zeros = 0.3},  // Ms = 2
        Shape{.orbitals = 8, .alpha = 4, .beta = 2, .level = 0, .num_irreps = 2},                // one
        test::bounded({.orbitals = 9, .alpha = 4, .beta = 2, .level = 3, .num_irreps = 4}, {3, 2}, {4, 1})));

class LargeBoundedSpaces : public testing::TestWithParam<Shape> {};
TEST_P(LargeBoundedSpaces, GiveWhatTheListGives) { expect_that_of_the_list(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Shapes, LargeBoundedSpaces,
    testing::Values(
        test::bounded({.orbitals = 13, .alpha = 6, .beta = 2}, {2, 2}, {3, 2}),  // 1266 strings
        test::bounded({.orbitals = 13, .alpha = 2, .beta = 6, .irrep = 1, .num_irreps = 2}, {1, 1}, {3, 2}),
        test::bounded({.orbitals = 14, .alpha = 5, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4},
                      {2, 1}, {6, 2}),
        test::bounded({.orbitals = 11, .alpha = 5, .beta = 5, .num_irreps = 4}, {2, 2}, {3, 2})));

TEST(BoundedSpaces, HaveASpinParityWhereBothSpinsHaveTheSameStrings) {
  const Shape shape = test::bounded(
      {.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1}, {3, 2});
  const Integrals integrals = shape.integrals();
  const IntegralTables tables(integrals, 0.0);
  const ProductSpace<1> space(shape.selection(integrals));
  const auto diagonal = string_diagonal(space, tables);
  const std::size_t n = space.size();
  EXPECT_EQ(parity_dimension(space, SpinParity::even) + parity_dimension(space, SpinParity::odd),
            space.size());
  const auto x = test::random_vector(n, 17);
  const DirectProduct whole(space, tables, diagonal);
  for (const SpinParity parity : {SpinParity::even, SpinParity::odd}) {
    const DirectProduct product(space, tables, diagonal, parity);
    std::vector<double> within(n), expected;
    for (std::int64_t row = 0; row < space.size(); ++row) {
      const auto d = space.determinant(row);
      const std::size_t mirror = space.find({d.beta, d.alpha});
      const std::size_t at = row;
      within[at] = 0.5 * (x[at] + static_cast<double>(parity) * x[mirror]);
    }
    expected = multiply(whole, within);
    for (std::size_t i = 0; i < n; ++i) expected[i] += product.shift() * (x[i] - within[i]);
    EXPECT_LE(relative_distance(multiply(product, x), expected), 1e-13);
    std::vector<double> projected = x;
    DirectWorkspace workspace;
    product.project({projected.data(), space.size(), 1, space.size()}, workspace);
    EXPECT_EQ(projected, within);
  }
}

TEST(BoundedSpaces, HaveClassesAsCoarseAsTheBoundsAllow) {
  // Holes and particles of a string with three electrons: (0,0) (0,1) (1,0) (1,1) (1,2) (2,0) (2,1) (2,2). Beside
  // two holes there are none, so at most one particle, whether one more is allowed or two: one class.
  const Shape shape = test::bounded({.orbitals = 7, .alpha = 3, .beta = 3}, {2, 2}, {2, 2});
  const Integrals integrals = shape.integrals();
  const ProductSpace<1> space(shape.selection(integrals));
  const BlockStructure blocks(space);
  EXPECT_TRUE(blocks.symmetric);
  EXPECT_EQ(blocks.alpha.count(), 7);
  std::int64_t determinants = 0;
  for (int a = 0; a < blocks.alpha.count(); ++a) {
    for (int b = 0; b < blocks.beta.count(); ++b) {
      if (blocks.is_allowed(a, b)) determinants += std::int64_t{blocks.alpha.size(a)} * blocks.beta.size(b);
    }
  }
  EXPECT_EQ(determinants, space.size());
}

/// All determinants of some electrons in some orbitals above a doubly occupied core, ascending.
std::vector<Determinant<1>> cas(int core, int orbitals, int alpha, int beta) {
  const auto strings = [&](int electrons) {
    std::vector<String> found;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << orbitals; ++bits) {
      String s{{bits << core}};
      if (s.count() == electrons) found.push_back(s | String::lowest(core));
    }
    return found;
  };
  std::vector<Determinant<1>> all;
  for (const String& a : strings(alpha)) {
    for (const String& b : strings(beta)) all.push_back({a, b});
  }
  return all;
}

SpaceSelection<1> multireference(const Integrals& integrals, std::vector<Determinant<1>> references,
                                 int level, int irrep) {
  return {.num_orbitals = integrals.num_orbitals,
          .irreps = integrals.irreps,
          .references = std::move(references),
          .excitation_level = level,
          .irrep = irrep};
}

TEST(FoundBlocks, OfACasReferenceWithoutSymmetryGiveWhatTheListGives) {
  const Integrals integrals = random_integrals(9, 1, 0.0, 11);
  for (const int level : {0, 1, 2, 3}) {
    expect_that_of_the_list(multireference(integrals, cas(2, 4, 2, 2), level, any_irrep), integrals);
  }
  auto bounded = multireference(integrals, cas(1, 5, 3, 2), 2, any_irrep);
  bounded.max_holes = OccupationBound<1>{range(0, 1), 1};
  bounded.max_particles = OccupationBound<1>{range(6, 9), 1};
  expect_that_of_the_list(bounded, integrals);
}

TEST(FoundBlocks, OfTwoReferencesGiveWhatTheListGives) {
  const Integrals integrals = random_integrals(14, 2, 0.0, 11);
  const Determinant<1> first{String::lowest(3), String::lowest(3)};
  const Determinant<1> second{first.alpha.moved(2, 3), first.beta.moved(2, 3)};
  expect_that_of_the_list(multireference(integrals, {first, second}, 2, 0), integrals);
}

TEST(FoundBlocks, OfASpaceCompletedInSpinAreThoseItIsMadeOf) {
  const Integrals integrals = random_integrals(12, 1, 0.0, 11);
  auto selection = multireference(integrals, {{String::lowest(3), String::lowest(2)}}, 2, any_irrep);
  selection.spin_complete = true;
  const auto list = list_determinants(selection);
  const auto found = ProductSpace<1>::from_list(selection, list.determinants, list.level_counts);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->fingerprint(), ProductSpace<1>(selection).fingerprint())
      << "checkpoints stay what they were";
  selection.spin_complete = false;
  EXPECT_NE(found->fingerprint(), ProductSpace<1>(selection).fingerprint());
}

TEST(FoundBlocks, SmallOnesStayAList) {
  // With symmetry, a reference of the right irrep is nearest: nearly every string has neighbours of its own.
  const Integrals integrals = random_integrals(9, 4, 0.0, 11);
  auto references = cas(2, 4, 2, 2);
  std::erase_if(references, [&](const Determinant<1>& d) {
    return irrep_of(d.alpha, integrals.irreps) != irrep_of(d.beta, integrals.irreps);
  });
  const auto selection = multireference(integrals, references, 2, 0);
  const auto space = make_space(selection);
  EXPECT_EQ(dynamic_cast<const ProductSpace<1>*>(space.get()), nullptr);
  EXPECT_EQ(space->size(), make_list(selection, list_determinants(selection))->size());
}

TEST(FoundBlocks, ReferencesInAnotherOrderStayAList) {
  const Integrals integrals = random_integrals(9, 1, 0.0, 11);
  auto references = cas(2, 4, 2, 2);
  std::swap(references.front(), references.back());
  const auto space = make_space(multireference(integrals, references, 2, any_irrep));
  EXPECT_EQ(dynamic_cast<const ProductSpace<1>*>(space.get()), nullptr);
  EXPECT_EQ(space->determinant(0), references.front());
}

}  // namespace test_block_spaces
}  // namespace cisolve
