// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <map>

#include "cisolve/hamiltonian/csf_rows.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve {
namespace test_csf_rows {

using Eigen::MatrixXd;

/// CSFs as columns over all determinants of their configurations.
struct Expansion {
  std::vector<Determinant<1>> determinants;
  MatrixXd csfs;
};

Expansion expand(const ConfigurationSpace<1>& space) {
  Expansion e;
  std::map<Determinant<1>, Eigen::Index> index;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int32_t i = 0; i < space.num_configurations(); ++i) {
    const Configuration<1>& c = space.configuration(i);
    const SpinFunctions f = make_spin_functions(space.couplings(), c.num_open());
    for (std::size_t a = 0; a < f.alpha.size(); ++a) {
      const Determinant<1> d = determinant_of(c, f.alpha[a]);
      const double phase = is_interleaving_negative(d) ? -1.0 : 1.0;
      for (int k = 0; k < f.coefficients.columns(); ++k) {
        entries.emplace_back(static_cast<int>(e.determinants.size()), static_cast<int>(space.offset(i) + k),
                             phase * f.coefficients(static_cast<int>(a), k));
      }
      e.determinants.push_back(d);
    }
  }
  e.csfs = MatrixXd::Zero(std::ssize(e.determinants), space.size());
  for (const auto& entry : entries) e.csfs(entry.row(), entry.col()) = entry.value();
  return e;
}

/// The definition: T^t H T with the Slater-Condon rules.
MatrixXd by_expansion(const Integrals& v, const ConfigurationSpace<1>& space) {
  const Expansion e = expand(space);
  const auto n = std::ssize(e.determinants);
  MatrixXd h(n, n);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      h(i, j) = matrix_element(v, e.determinants[i], e.determinants[j]);
    }
  }
  return e.csfs.transpose() * h * e.csfs;
}

/// Rows as a dense matrix; checks their order and which positions are general.
class CsfSink final : public RowSink {
public:
  CsfSink(const ConfigurationSpace<1>& space, std::int64_t first)
      : matrix(MatrixXd::Zero(space.size(), space.size())), space_(space), next_(first) {}

  void row(const MatrixRow& row) override {
    EXPECT_EQ(row.index, next_++);
    lengths.push_back(std::ssize(row.columns));
    std::vector<std::int32_t> general;
    const auto& bra = space_.configuration(space_.configuration_of_row(row.index));
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      if (k > 0) {
        EXPECT_LT(row.columns[k - 1], row.columns[k]);
      }
      EXPECT_NE(row.values[k], 0.0);
      matrix(row.index, row.columns[k]) = row.values[k];
      const auto& ket = space_.configuration(space_.configuration_of_row(row.columns[k]));
      if (excitation_degree(ket, bra) < 2) general.push_back(static_cast<std::int32_t>(k));
    }
    EXPECT_TRUE(std::equal(general.begin(), general.end(), row.general.begin(), row.general.end()));
  }

  MatrixXd matrix;
  std::vector<std::int64_t> lengths;

private:
  const ConfigurationSpace<1>& space_;
  std::int64_t next_;
};

struct Shape {
  int orbitals = 0, electrons = 0, two_s = 0, level = 0, irrep = any_irrep, num_irreps = 1;
  double zeros = 0.0;  ///< share of the integrals that vanish
};

ConfigurationSelection<1> selection_of(const Shape& s, const Integrals& v) {
  Configuration<1> reference{String::lowest((s.electrons - s.two_s) / 2), {}};
  for (int k = 0; k < s.two_s; ++k) reference.singly.set((s.electrons - s.two_s) / 2 + k);
  return {.num_orbitals = s.orbitals,
          .irreps = v.irreps,
          .references = {reference},
          .excitation_level = s.level,
          .irrep = s.irrep,
          .two_s = s.two_s};
}

class CsfRows : public testing::TestWithParam<Shape> {
protected:
  CsfRows()
      : integrals(random_integrals(GetParam().orbitals, GetParam().num_irreps, GetParam().zeros, 23)),
        tables(integrals, 0.0), space(selection_of(GetParam(), integrals)) {}

  std::shared_ptr<const CsfHamiltonian<1>> hamiltonian(const CsfCouplingsConfig& config = {}) const {
    return std::make_shared<CsfHamiltonian<1>>(space, tables, config);
  }

  /// Sums of some hundred products of numbers of order 10.
  double rounding(const MatrixXd& expected) const { return 1e-13 * (1.0 + expected.cwiseAbs().maxCoeff()); }

  Integrals integrals;
  IntegralTables tables;
  ConfigurationSpace<1> space;
};

TEST_P(CsfRows, AreThoseOfTheExpandedDeterminants) {
  const MatrixXd expected = by_expansion(integrals, space);
  const CsfRowSource<1> rows(hamiltonian());
  CsfSink sink(space, 0);
  rows.fill({0, space.size()}, sink);
  EXPECT_LE((sink.matrix - expected).cwiseAbs().maxCoeff(), rounding(expected));
  EXPECT_TRUE(sink.matrix == sink.matrix.transpose()) << "H must be symmetric to the last bit";
  // What is left out is zero, and no rounding noise of a zero is kept.
  const MatrixXd found = (sink.matrix.array() != 0.0).select(MatrixXd::Ones(space.size(), space.size()), 0.0);
  const MatrixXd wanted =
      (expected.array().abs() > rounding(expected)).select(MatrixXd::Ones(space.size(), space.size()), 0.0);
  EXPECT_TRUE(found == wanted);

  std::vector<std::int64_t> lengths(space.size());
  rows.count({0, space.size()}, lengths);
  EXPECT_TRUE(lengths == sink.lengths);

  // Any range gives the same rows, even one that cuts a configuration.
  const std::int64_t first = space.size() / 3;
  const std::int64_t last = (2 * space.size() + 2) / 3;
  CsfSink part(space, first);
  rows.fill({first, last}, part);
  EXPECT_TRUE(part.matrix.middleRows(first, last - first) == sink.matrix.middleRows(first, last - first));
}

TEST_P(CsfRows, AreTheSameWithoutKeepingBlocks) {
  const MatrixXd expected = by_expansion(integrals, space);
  const auto h = hamiltonian({.cache_bytes = 0});
  CsfSink sink(space, 0);
  CsfRowSource<1>(h).fill({0, space.size()}, sink);
  EXPECT_LE((sink.matrix - expected).cwiseAbs().maxCoeff(), rounding(expected));
  EXPECT_EQ(h->couplings().bytes(), 0);
  const auto diagonal = h->diagonal();
  for (std::int64_t i = 0; i < space.size(); ++i)
    EXPECT_NEAR(diagonal[i], expected(i, i), rounding(expected));
}

TEST_P(CsfRows, HaveThisDiagonalAndTheseBlocks) {
  const MatrixXd expected = by_expansion(integrals, space);
  const auto h = hamiltonian();
  const auto diagonal = h->diagonal();
  for (std::int64_t i = 0; i < space.size(); ++i)
    EXPECT_NEAR(diagonal[i], expected(i, i), rounding(expected));
  std::vector<std::int64_t> rows;
  for (std::int64_t i = space.size() - 1; i >= 0; i -= 1 + i / 40) rows.push_back(i);
  const Matrix block = h->dense_block(rows);
  for (int i = 0; i < block.rows(); ++i) {
    for (int j = 0; j < block.columns(); ++j) {
      EXPECT_NEAR(block(i, j), expected(rows[i], rows[j]), rounding(expected));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CsfRows,
    testing::Values(
        Shape{.orbitals = 4, .electrons = 4, .two_s = 0, .level = 4},
        Shape{.orbitals = 4, .electrons = 4, .two_s = 2, .level = 4},
        Shape{.orbitals = 5, .electrons = 4, .two_s = 4, .level = 4},
        Shape{.orbitals = 5, .electrons = 5, .two_s = 1, .level = 5},
        Shape{.orbitals = 6, .electrons = 6, .two_s = 0, .level = 6, .num_irreps = 2},
        Shape{.orbitals = 6, .electrons = 6, .two_s = 2, .level = 6, .irrep = 1, .num_irreps = 2},
        Shape{.orbitals = 6, .electrons = 6, .two_s = 4, .level = 6, .zeros = 0.5},
        Shape{.orbitals = 6, .electrons = 5, .two_s = 3, .level = 5, .num_irreps = 4},
        Shape{.orbitals = 7, .electrons = 6, .two_s = 0, .level = 2, .irrep = 0, .num_irreps = 4},
        Shape{
            .orbitals = 7, .electrons = 6, .two_s = 2, .level = 3, .irrep = 2, .num_irreps = 4, .zeros = 0.3},
        Shape{.orbitals = 6, .electrons = 2, .two_s = 0, .level = 1},
        Shape{.orbitals = 3, .electrons = 1, .two_s = 1, .level = 1},
        Shape{.orbitals = 3, .electrons = 6, .two_s = 0, .level = 2},
        Shape{.orbitals = 9, .electrons = 9, .two_s = 9, .level = 0}));

TEST(CsfHamiltonian, OfOpenShellsOnlyIsHeisenbergLike) {
  // One configuration of 14 open shells and S = 4: 273 CSFs over 1001 determinants.
  const int open = 14;
  const Integrals v = random_integrals(open, 1, 0.0, 7);
  const IntegralTables tables(v, 0.0);
  const ConfigurationSpace<1> space({.num_orbitals = open,
                                     .irreps = v.irreps,
                                     .references = {{String{}, String::lowest(open)}},
                                     .excitation_level = 0,
                                     .irrep = any_irrep,
                                     .two_s = 8});
  ASSERT_EQ(space.size(), 273);
  const MatrixXd expected = by_expansion(v, space);
  CsfSink sink(space, 0);
  CsfRowSource<1>(std::make_shared<CsfHamiltonian<1>>(space, tables)).fill({0, space.size()}, sink);
  EXPECT_LE((sink.matrix - expected).cwiseAbs().maxCoeff(), 1e-13 * (1.0 + expected.cwiseAbs().maxCoeff()));
}

TEST(CsfHamiltonian, HasTheSpectrumOfDeterminants) {
  // All spins together are the spectrum of the Ms = 0 determinants.
  const Integrals v = random_integrals(5, 1, 0.0, 3);
  const IntegralTables tables(v, 0.0);
  std::vector<double> energies;
  for (const int two_s : {0, 2, 4}) {
    const ConfigurationSpace<1> space(
        selection_of({.orbitals = 5, .electrons = 4, .two_s = two_s, .level = 4}, v));
    CsfSink sink(space, 0);
    CsfRowSource<1>(std::make_shared<CsfHamiltonian<1>>(space, tables)).fill({0, space.size()}, sink);
    const Eigen::VectorXd of_spin = symmetric_eigenvalues(sink.matrix);
    energies.insert(energies.end(), of_spin.begin(), of_spin.end());
  }
  std::sort(energies.begin(), energies.end());
  const ProductSpace<1> determinants({.num_orbitals = 5,
                                      .irreps = v.irreps,
                                      .references = {{String::lowest(2), String::lowest(2)}},
                                      .excitation_level = 4,
                                      .irrep = any_irrep});
  std::vector<std::int64_t> all(determinants.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  Matrix block = dense_block<1>(v, determinants, all);
  const Eigen::VectorXd of_determinants =
      symmetric_eigenvalues(Eigen::Map<MatrixXd>(block.data(), block.rows(), block.columns()));
  ASSERT_EQ(std::ssize(energies), of_determinants.size());
  for (std::size_t k = 0; k < energies.size(); ++k) {
    EXPECT_NEAR(energies[k], of_determinants[static_cast<Eigen::Index>(k)], 1e-11);
  }
}

TEST(CsfHamiltonian, ThresholdLeavesOutSmallElements) {
  const Integrals v = random_integrals(6, 2, 0.0, 5);
  constexpr double threshold = 0.4;
  const IntegralTables tables(v, threshold);
  const ConfigurationSpace<1> space(
      selection_of({.orbitals = 6, .electrons = 6, .two_s = 2, .level = 3, .irrep = 0, .num_irreps = 2}, v));
  MatrixXd expected = by_expansion(v, space);
  expected = (expected.cwiseAbs().array() > threshold).select(expected, 0.0);
  CsfSink sink(space, 0);
  CsfRowSource<1>(std::make_shared<CsfHamiltonian<1>>(space, tables)).fill({0, space.size()}, sink);
  EXPECT_LE((sink.matrix - expected).cwiseAbs().maxCoeff(), 1e-13 * (1.0 + expected.cwiseAbs().maxCoeff()));
}

TEST(CsfHamiltonian, OfSeveralReferencesFollowsTheSameRules) {
  const Integrals v = random_integrals(6, 2, 0.0, 9);
  const IntegralTables tables(v, 0.0);
  const Configuration<1> closed{String::lowest(3), {}};
  const Configuration<1> pair{String::lowest(2) | String{}.moved(5, 3), {}};
  const Configuration<1> open{String::lowest(2), String{}.moved(5, 2) | String{}.moved(5, 4)};
  const ConfigurationSpace<1> space({.num_orbitals = 6,
                                     .irreps = v.irreps,
                                     .references = {open, closed, pair},
                                     .excitation_level = 2,
                                     .irrep = any_irrep,
                                     .two_s = 0});
  EXPECT_EQ(space.num_references(), 3);
  const MatrixXd expected = by_expansion(v, space);
  CsfSink sink(space, 0);
  CsfRowSource<1>(std::make_shared<CsfHamiltonian<1>>(space, tables)).fill({0, space.size()}, sink);
  EXPECT_LE((sink.matrix - expected).cwiseAbs().maxCoeff(), 1e-13 * (1.0 + expected.cwiseAbs().maxCoeff()));
}

}  // namespace test_csf_rows
}  // namespace cisolve
