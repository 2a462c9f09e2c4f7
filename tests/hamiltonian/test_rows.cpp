// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/hamiltonian/product_rows.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "sparse/placed_rows.hpp"

namespace cisolve {
namespace test_rows {

using Eigen::MatrixXd;

/// Rows as a dense matrix; checks order, counts and the general positions on the way.
class DenseSink final : public RowSink {
public:
  DenseSink(const Space<1>& space, std::int64_t first)
      : matrix(MatrixXd::Zero(space.size(), space.size())), space_(space), next_(first) {}

  void row(const MatrixRow& row) override {
    EXPECT_EQ(row.index, next_++);
    EXPECT_TRUE(std::is_sorted(row.columns.begin(), row.columns.end()));
    lengths.push_back(std::ssize(row.columns));
    std::vector<std::int32_t> general;
    const auto bra = space_.determinant(row.index);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      EXPECT_NE(row.values[k], 0.0);
      matrix(row.index, row.columns[k]) += row.values[k];
      const auto ket = space_.determinant(row.columns[k]);
      const int degree = (bra.alpha & ~ket.alpha).count() + (bra.beta & ~ket.beta).count();
      if (degree < 2) general.push_back(static_cast<std::int32_t>(k));
    }
    EXPECT_TRUE(std::equal(general.begin(), general.end(), row.general.begin(), row.general.end()));
  }

  MatrixXd matrix;
  std::vector<std::int64_t> lengths;

private:
  const Space<1>& space_;
  std::int64_t next_;
};

/// Numbered rows as a dense matrix again.
class DecodingSink final : public NumberedRowSink {
public:
  DecodingSink(std::int64_t n, std::span<const double> magnitudes)
      : matrix(MatrixXd::Zero(n, n)), general(MatrixXd::Zero(n, n)), magnitudes_(magnitudes) {}

  void row(const NumberedRow& row) override {
    EXPECT_TRUE(std::is_sorted(row.columns.begin(), row.columns.end()));
    EXPECT_TRUE(std::is_sorted(row.general_columns.begin(), row.general_columns.end()));
    EXPECT_EQ(row.num_unlisted, 0);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      ASSERT_LT(place_of(row.numbers[k]), magnitudes_.size());
      const double magnitude = magnitudes_[place_of(row.numbers[k])];
      matrix(row.index, row.columns[k]) += (row.numbers[k] & negative_number) != 0 ? -magnitude : magnitude;
    }
    for (std::size_t k = 0; k < row.general_columns.size(); ++k) {
      matrix(row.index, row.general_columns[k]) += row.general_values[k];
      general(row.index, row.general_columns[k]) += 1.0;
    }
  }

  MatrixXd matrix;
  MatrixXd general;  ///< 1 where an element came with its value

private:
  std::span<const double> magnitudes_;
};

/// Numbered rows are the plain ones to the last bit, and general ones those of diagonal and singles.
void expect_numbered_rows(const RowSource& rows, const Space<1>& space, const MatrixXd& plain) {
  const auto numbered = rows.numbered();
  ASSERT_NE(numbered, nullptr);
  const std::span<const double> magnitudes = numbered->magnitudes();
  for (std::size_t k = 0; k < magnitudes.size(); ++k)
    EXPECT_GT(magnitudes[k], k == 0 ? 0.0 : magnitudes[k - 1]);
  DecodingSink sink(space.size(), magnitudes);
  numbered->fill({0, space.size() / 3}, sink);
  numbered->fill({space.size() / 3, space.size()}, sink);
  EXPECT_TRUE(sink.matrix == plain);
  for (std::int64_t i = 0; i < space.size(); ++i) {
    for (std::int64_t j = 0; j < space.size(); ++j) {
      const auto bra = space.determinant(i);
      const auto ket = space.determinant(j);
      const int degree = (bra.alpha & ~ket.alpha).count() + (bra.beta & ~ket.beta).count();
      ASSERT_EQ(sink.general(i, j), degree < 2 && plain(i, j) != 0.0 ? 1.0 : 0.0) << i << ' ' << j;
    }
  }
}

/// Rows one by one in any order are those of ranges; in the local order, rows and columns are named by place.
void expect_any_order(const RowSource& rows, const MatrixXd& plain) {
  const auto numbered = rows.numbered();
  const Array<std::int32_t> order = rows.local_order();
  const std::size_t n = plain.rows();
  ASSERT_EQ(order.size(), n);
  std::vector<std::int32_t> all(order.begin(), order.end());
  DecodingSink sink(plain.rows(), numbered->magnitudes());
  numbered->fill_rows(all, sink);
  EXPECT_TRUE(sink.matrix == plain);
  std::sort(all.begin(), all.end());
  for (std::size_t row = 0; row < n; ++row) ASSERT_EQ(all[row], static_cast<std::int32_t>(row));

  const PlacedRows placed(*numbered, {order.data(), order.size()});
  DecodingSink by_place(plain.rows(), placed.magnitudes());
  placed.fill({0, plain.rows() / 2}, by_place);
  placed.fill({plain.rows() / 2, plain.rows()}, by_place);
  for (Eigen::Index i = 0; i < plain.rows(); ++i) {
    for (Eigen::Index j = 0; j < plain.rows(); ++j) {
      ASSERT_EQ(by_place.matrix(i, j), plain(order[i], order[j]));
    }
  }
}

MatrixXd reference_matrix(const Integrals& v, const Space<1>& space) {
  const auto n = space.size();
  MatrixXd h(n, n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j)
      h(i, j) = matrix_element(v, space.determinant(i), space.determinant(j));
  }
  return h;
}

void expect_rows(const RowSource& rows, const Space<1>& space, const MatrixXd& expected) {
  DenseSink sink(space, 0);
  rows.fill({0, space.size()}, sink);
  const double rounding = 1e-13 * (1.0 + expected.cwiseAbs().maxCoeff());
  EXPECT_LE((sink.matrix - expected).cwiseAbs().maxCoeff(), rounding);
  EXPECT_TRUE(sink.matrix == sink.matrix.transpose()) << "H must be symmetric to the last bit";
  std::vector<std::int64_t> lengths(space.size());
  rows.count({0, space.size()}, lengths);
  EXPECT_TRUE(lengths == sink.lengths);

  expect_numbered_rows(rows, space, sink.matrix);
  expect_any_order(rows, sink.matrix);

  // Any range gives the same rows.
  const std::int64_t first = space.size() / 3;
  const std::int64_t last = (2 * space.size() + 2) / 3;
  DenseSink part(space, first);
  rows.fill({first, last}, part);
  EXPECT_TRUE(part.matrix.middleRows(first, last - first) == sink.matrix.middleRows(first, last - first));
  std::vector<std::int64_t> part_lengths(last - first);
  rows.count({first, last}, part_lengths);
  EXPECT_TRUE(std::equal(part_lengths.begin(), part_lengths.end(), lengths.begin() + first));

  DenseSink lower(space, first);
  rows.fill_lower({first, last}, lower);
  const MatrixXd triangle = sink.matrix.triangularView<Eigen::Lower>();
  EXPECT_TRUE(lower.matrix.middleRows(first, last - first) == triangle.middleRows(first, last - first));
}

using Shape = test::SpaceShape;

class Rows : public testing::TestWithParam<Shape> {
protected:
  Rows()
      : integrals(GetParam().integrals()), tables(integrals, 0.0), space(GetParam().selection(integrals)) {}

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
};

TEST_P(Rows, OfAProductSpaceFollowSlaterAndCondon) {
  expect_rows(ProductRowSource(space, tables), space, reference_matrix(integrals, space));
}

TEST_P(Rows, OfAShuffledListFollowSlaterAndCondon) {
  std::vector<Determinant<1>> determinants(space.size());
  space.enumerate(0, determinants);
  std::mt19937_64 engine(3);
  std::shuffle(determinants.begin(), determinants.end(), engine);
  determinants.resize((2 * determinants.size() + 2) / 3);
  const ListSpace<1> list(determinants, GetParam().orbitals, GetParam().irrep, 1, {});
  expect_rows(ListRowSource(list, tables), list, reference_matrix(integrals, list));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Rows,
    testing::Values(
        Shape{.orbitals = 6, .alpha = 3, .beta = 3, .level = 2, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 6, .alpha = 3, .beta = 3, .level = 6, .irrep = 1, .num_irreps = 4},
        Shape{.orbitals = 6, .alpha = 3, .beta = 2, .level = 3, .num_irreps = 4},
        Shape{.orbitals = 6, .alpha = 3, .beta = 3, .level = 6},
        Shape{.orbitals = 6, .alpha = 3, .beta = 3, .level = 6, .num_irreps = 2, .zeros = 0.5},
        Shape{.orbitals = 6, .alpha = 2, .beta = 3, .level = 4, .irrep = 0, .num_irreps = 2, .zeros = 0.5},
        Shape{.orbitals = 7, .alpha = 1, .beta = 0, .level = 1},
        Shape{.orbitals = 5, .alpha = 5, .beta = 4, .level = 3, .num_irreps = 2},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .level = 4, .irrep = 3, .num_irreps = 8, .zeros = 0.1},
        Shape{.orbitals = 4, .alpha = 4, .beta = 4, .level = 2, .irrep = 0, .num_irreps = 2},
        Shape{.orbitals = 6, .alpha = 3, .beta = 3, .level = 2, .num_irreps = 4, .zeros = 1.0},
        test::unrestricted({.orbitals = 6, .alpha = 3, .beta = 3, .level = 6}),
        test::unrestricted({.orbitals = 6, .alpha = 3, .beta = 3, .level = 2, .irrep = 1, .num_irreps = 4}),
        test::unrestricted({.orbitals = 7, .alpha = 4, .beta = 2, .level = 4, .num_irreps = 2, .zeros = 0.4}),
        test::bounded({.orbitals = 6, .alpha = 3, .beta = 3, .level = 6}, {2, 1}, {2, 1}),
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3, .level = 3, .irrep = 1, .num_irreps = 4}, {1, 1},
                      {3, 2}),
        test::bounded({.orbitals = 7, .alpha = 4, .beta = 2, .level = 6, .num_irreps = 4, .zeros = 0.4},
                      {3, 2}, {2, 1})));

void expect_rows_above_a_threshold(const Integrals& v) {
  const ProductSpace<1> space({.num_orbitals = 6,
                               .irreps = v.irreps,
                               .references = {{String::lowest(3), String::lowest(3)}},
                               .excitation_level = 4,
                               .irrep = 0});
  constexpr double threshold = 0.4;
  const IntegralTables tables(v, threshold);
  MatrixXd expected = reference_matrix(v, space);
  expected = (expected.cwiseAbs().array() > threshold).select(expected, 0.0);
  expect_rows(ProductRowSource(space, tables), space, expected);
  std::vector<Determinant<1>> all(space.size());
  space.enumerate(0, all);
  const ListSpace<1> list(all, 6, 0, 1, {});
  expect_rows(ListRowSource(list, tables), list, expected);
}

TEST(RowSources, ThresholdLeavesOutSmallElements) {
  expect_rows_above_a_threshold(random_integrals(6, 2, 0.0, 5));
  expect_rows_above_a_threshold(random_unrestricted_integrals(6, 2, 0.0, 5));
}

TEST(RowSources, KindOfSpaceDecides) {
  const Integrals v = random_integrals(4, 1, 0.0, 5);
  const IntegralTables tables(v, 0.0);
  SpaceSelection<1> selection{.num_orbitals = 4,
                              .irreps = v.irreps,
                              .references = {{String::lowest(2), String::lowest(2)}},
                              .excitation_level = 1,
                              .irrep = any_irrep};
  const auto product = make_space(selection);
  EXPECT_NE(dynamic_cast<const ProductRowSource*>(make_row_source(*product, tables).get()), nullptr);
  selection.references.push_back({String::lowest(2), String::lowest(2).moved(1, 2)});
  const auto list = make_space(selection);
  const auto rows = make_row_source(*list, tables);
  EXPECT_NE(dynamic_cast<const ListRowSource*>(rows.get()), nullptr);
  expect_rows(*rows, *list, reference_matrix(v, *list));
}

TEST(SlaterCondon, HubbardDimerHasItsKnownEnergies) {
  // t = 1, U = 4: singlets U/2 -+ sqrt(U^2/4 + 4 t^2) and U, triplet 0 (Ms = 0 space).
  Integrals v(2);
  v.h(1, 0) = -1.0;
  v.eri(0, 0, 0, 0) = v.eri(1, 1, 1, 1) = 4.0;
  const ProductSpace<1> space({.num_orbitals = 2,
                               .irreps = v.irreps,
                               .references = {{String::lowest(1), String::lowest(1)}},
                               .excitation_level = 2,
                               .irrep = any_irrep});
  const Eigen::VectorXd energies = symmetric_eigenvalues(reference_matrix(v, space));
  const double root = std::sqrt(8.0);
  EXPECT_NEAR(energies[0], 2.0 - root, 1e-13);
  EXPECT_NEAR(energies[1], 0.0, 1e-13);
  EXPECT_NEAR(energies[2], 4.0, 1e-13);
  EXPECT_NEAR(energies[3], 2.0 + root, 1e-13);
}

TEST(SlaterCondon, DiagonalAndBlockAreElements) {
  const Integrals v = random_integrals(6, 2, 0.0, 7);
  const ProductSpace<1> space({.num_orbitals = 6,
                               .irreps = v.irreps,
                               .references = {{String::lowest(3), String::lowest(2)}},
                               .excitation_level = 3,
                               .irrep = any_irrep});
  const auto d = diagonal(v, space);
  const std::vector<std::int64_t> rows = {0, 5, 2, space.size() - 1};
  const Matrix block = dense_block<1>(v, space, rows);
  for (int i = 0; i < 4; ++i) {
    const auto bra = space.determinant(rows[i]);
    EXPECT_EQ(d[rows[i]], matrix_element(v, bra, bra));
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(block(i, j), matrix_element(v, bra, space.determinant(rows[j])), 1e-13);
    }
  }
}

}  // namespace test_rows
}  // namespace cisolve
