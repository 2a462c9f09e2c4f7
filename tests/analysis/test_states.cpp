// SPDX-License-Identifier: MIT
#include "cisolve/analysis/states.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "cisolve/analysis/spin.hpp"
#include "core/orthonormal.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace test_states {

using Eigen::MatrixXd;

ProductSpace<1> full_space(int orbitals, int alpha, int beta, std::vector<int> irreps = {}) {
  if (irreps.empty()) irreps.assign(orbitals, 0);
  return ProductSpace<1>({.num_orbitals = orbitals,
                          .irreps = irreps,
                          .references = {{String::lowest(alpha), String::lowest(beta)}},
                          .excitation_level = 2 * orbitals,
                          .irrep = any_irrep});
}

/// S^2 over the whole space, element by element.
MatrixXd s_squared(const Space<1>& space) {
  MatrixXd matrix(space.size(), space.size());
  for (std::int64_t i = 0; i < space.size(); ++i) {
    for (std::int64_t j = 0; j < space.size(); ++j) {
      matrix(i, j) = s_squared_element(space.determinant(i), space.determinant(j));
    }
  }
  return matrix;
}

TEST(Spin, EigenvaluesAreSOfSPlusOneWithTheRightMultiplicity) {
  // CSFs of spin S of N electrons in n orbitals: Weyl's formula.
  const auto weyl = [](int n, int electrons, int twice_s) {
    const auto binomial = [](int a, int b) {
      return std::round(std::exp(std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1)));
    };
    const int low = (electrons - twice_s) / 2;
    const int high = (electrons + twice_s) / 2 + 1;
    return (twice_s + 1.0) / (n + 1.0) * binomial(n + 1, low) * binomial(n + 1, high);
  };
  for (const auto& [alpha, beta] : {std::pair(2, 2), std::pair(3, 1), std::pair(1, 2), std::pair(3, 2)}) {
    const auto space = full_space(4, alpha, beta);
    std::vector<int> found(10, 0);
    for (const double value : symmetric_eigenvalues(s_squared(space))) {
      const double twice_s = multiplicity_of(value) - 1.0;
      EXPECT_NEAR(twice_s, std::round(twice_s), 1e-9);
      ++found[std::lround(twice_s)];
    }
    for (int twice_s = std::abs(alpha - beta); twice_s <= 4; twice_s += 2) {
      const bool possible = twice_s <= alpha + beta && (alpha + beta + twice_s) / 2 <= 4;
      EXPECT_EQ(found[twice_s], possible ? static_cast<int>(std::lround(weyl(4, alpha + beta, twice_s))) : 0)
          << alpha << ' ' << beta << " 2S = " << twice_s;
    }
  }
}

TEST(Spin, ExpectationOfVectorsIsThatOfTheMatrix) {
  const auto space = full_space(5, 3, 2);
  const MatrixXd c = test::orthonormal(MatrixXd(MatrixXd::Random(space.size(), 3)));
  const Matrix found = SpinExpectation<1>(space)({c.data(), static_cast<std::size_t>(c.size())}, 3);
  const MatrixXd expected = c.transpose() * s_squared(space) * c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(found(i, j), expected(i, j), 1e-13);
  }
}

TEST(Spin, ExpectationOverStringsIsThatOfTheList) {
  const std::vector<int> irreps = {0, 1, 2, 3, 1, 0, 2};
  const auto expect_agreement = [](const SpaceSelection<1>& selection) {
    const auto space = make_space(selection);
    ASSERT_NE(space->as_product(), nullptr);
    std::vector<Determinant<1>> determinants(space->size());
    space->enumerate(0, determinants);
    const ListSpace<1> list(determinants, selection.num_orbitals, selection.irrep, 1, {});
    const MatrixXd x = MatrixXd::Random(space->size(), 2);  // neither normalised nor orthogonal
    const std::span<const double> vectors(x.data(), static_cast<std::size_t>(x.size()));
    const Matrix found = SpinExpectation<1>(*space)(vectors, 2),
                 expected = SpinExpectation<1>(list)(vectors, 2);
    // Sums of some terms of at most one for each row.
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(found.data()[k], expected.data()[k], 1e-14 * static_cast<double>(space->size()));
  };
  for (const auto& [alpha, beta] :
       {std::pair(3, 3), std::pair(4, 2), std::pair(2, 3), std::pair(3, 0), std::pair(0, 3)}) {
    const Determinant<1> reference{String::lowest(alpha), String::lowest(beta)};
    for (const int irrep : {any_irrep, 0, 1}) {
      for (const int level : {2, 3, 14}) {
        expect_agreement({.num_orbitals = 7,
                          .irreps = irreps,
                          .references = {reference},
                          .excitation_level = level,
                          .irrep = irrep});
      }
    }
  }
  // Lists of beta strings that are parts of classes.
  const Determinant<1> first{String::lowest(3), String::lowest(3)};
  SpaceSelection<1> selection{.num_orbitals = 14,
                              .irreps = {},
                              .references = {first, {first.alpha.moved(2, 3), first.beta.moved(2, 3)}},
                              .excitation_level = 2,
                              .irrep = 0};
  for (int p = 0; p < selection.num_orbitals; ++p) selection.irreps.push_back(p % 2);
  expect_agreement(selection);
}

TEST(States, ClusterIsResolvedIntoPureSpinsAndIrreps) {
  const std::vector<int> irreps = {0, 1, 2, 3};
  const auto space = full_space(4, 2, 2, irreps);
  // Pure states: eigenvectors of S^2 + small irrep labels; then mixed by a random rotation.
  MatrixXd labels = s_squared(space);
  for (std::int64_t i = 0; i < space.size(); ++i) {
    const auto d = space.determinant(i);
    labels(i, i) += 0.01 * (irrep_of(d.alpha, irreps) ^ irrep_of(d.beta, irreps));
  }
  const MatrixXd pure = symmetric_eigenpairs(labels).vectors;
  const std::vector<int> chosen = {0, 12, 25, 33};
  MatrixXd c(space.size(), 4);
  for (int k = 0; k < 4; ++k) c.col(k) = pure.col(chosen[k]);
  const MatrixXd rotation = test::orthonormal(MatrixXd(MatrixXd::Random(4, 4)));
  MatrixXd mixed = c * rotation;
  const std::vector<double> energies = {-1.0, -1.0 + 1e-9, -1.0 + 2e-9, -1.0 + 3e-9};
  std::vector<bool> rotated;
  const auto found = label_states<1>(space, irreps, energies,
                                     {mixed.data(), static_cast<std::size_t>(mixed.size())}, {}, &rotated);
  double last = -1.0;
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(rotated[k]);
    const double twice_s = multiplicity_of(found[k].s_squared) - 1.0;
    EXPECT_NEAR(twice_s, std::round(twice_s), 1e-8);
    EXPECT_NE(found[k].irrep, mixed_irrep);
    EXPECT_GE(found[k].s_squared, last - 1e-8);
    last = found[k].s_squared;
  }
  EXPECT_NEAR((mixed.transpose() * mixed - MatrixXd::Identity(4, 4)).norm(), 0.0, 1e-12);
}

TEST(States, SeparateRootsAreNotRotatedButSigned) {
  const auto space = full_space(2, 1, 1);
  std::vector<double> c = {-0.8, 0.6, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0};
  const std::vector<double> energies = {-1.0, -0.5};
  std::vector<bool> rotated;
  label_states<1>(space, std::vector<int>{0, 0}, energies, c, {}, &rotated);
  EXPECT_FALSE(rotated[0] || rotated[1]);
  EXPECT_EQ(c, (std::vector<double>{0.8, -0.6, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0}));
}

TEST(States, FirstOfEqualComponentsDecidesTheSign) {
  const auto space = full_space(2, 1, 1);
  const double r = std::sqrt(0.5);
  std::vector<double> c = {0.0, -r, r + 1e-9, 0.0};
  label_states<1>(space, std::vector<int>{0, 0}, std::vector<double>{0.0}, c, {}, nullptr);
  EXPECT_GT(c[1], 0.0);
}

TEST(States, LeadingDeterminantsDescend) {
  const std::vector<double> c = {0.1, -0.7, 0.3, 0.6, 0.05};
  const auto three = leading_determinants(c, 3, 0.0);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[0].row, 1);
  EXPECT_EQ(three[1].row, 3);
  EXPECT_EQ(three[2].row, 2);
  EXPECT_EQ(leading_determinants(c, 5, 0.3).size(), 2U);
  EXPECT_EQ(leading_determinants(std::vector<double>{0.01, 0.02}, 5, 0.3).size(), 1U);
  EXPECT_EQ(leading_determinants(std::vector<double>{0.01, 0.02}, 5, 0.3)[0].row, 1);
}

TEST(States, OccupationText) {
  Determinant<1> d;
  d.alpha.words[0] = 0b0011;
  d.beta.words[0] = 0b0101;
  EXPECT_EQ(occupation_text(d, 4), "2ud0");
}

}  // namespace test_states
}  // namespace cisolve
