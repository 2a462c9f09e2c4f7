// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/error.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_csf_states {

ConfigurationSpace<1> some_space(int two_s, int irrep = any_irrep) {
  Configuration<1> reference{String::lowest(3), {}};
  if (two_s % 2 != 0) reference = {String::lowest(2), String::lowest(3) & ~String::lowest(2)};
  return ConfigurationSpace<1>({.num_orbitals = 6,
                                .irreps = {0, 1, 2, 3, 0, 1},
                                .references = {reference},
                                .excitation_level = 6,
                                .irrep = irrep,
                                .two_s = two_s});
}

TEST(CsfExpansion, IsAnEigenfunctionOfTheSpin) {
  for (const int two_s : {0, 1, 2, 3, 4, 6}) {
    const ConfigurationSpace<1> space = some_space(two_s);
    const auto vector = test::random_unit_vectors(space.size(), 1, 5);
    const auto expanded = expand_in_determinants<1>(space, vector);
    const ListSpace<1> determinants(expanded.determinants, 6, any_irrep, 0, {});
    const double spin = 0.5 * two_s;
    EXPECT_NEAR(SpinExpectation<1>(determinants)(expanded.coefficients, 1)(0, 0), spin * (spin + 1.0), 1e-12);
    // No other spin mixed in: S^2 applied to the vector is S (S + 1) times it, so its square has no variance.
    double variance = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < expanded.coefficients.size(); ++i) {
      double applied = 0.0;
      for (std::size_t j = 0; j < expanded.coefficients.size(); ++j) {
        if (configuration_of(expanded.determinants[i]) != configuration_of(expanded.determinants[j]))
          continue;
        applied +=
            s_squared_element(expanded.determinants[i], expanded.determinants[j]) * expanded.coefficients[j];
      }
      variance += std::pow(applied - spin * (spin + 1.0) * expanded.coefficients[i], 2);
      norm += expanded.coefficients[i] * expanded.coefficients[i];
    }
    EXPECT_NEAR(norm, 1.0, 1e-13);
    EXPECT_LT(variance, 1e-24);
  }
}

TEST(CsfExpansion, OfTheHeaviestIsThatOfAPart) {
  const ConfigurationSpace<1> space = some_space(2);
  const auto vector = test::random_unit_vectors(space.size(), 1, 6);
  const auto most = static_cast<int>(space.size());
  const auto all = expand_heaviest<1>(space, vector, most, 0.0);
  const auto back = project_on_csfs<1>(space, all.determinants, all.coefficients);
  for (std::size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(back[i], vector[i], 1e-14);

  const auto two = expand_heaviest<1>(space, vector, 2, 0.0);
  const auto part = project_on_csfs<1>(space, two.determinants, two.coefficients);
  const auto heaviest = leading_determinants(vector, 2, 0.0);
  for (std::int64_t i = 0; i < space.size(); ++i) {
    const bool is_in = i == heaviest[0].row || i == heaviest[1].row;
    EXPECT_NEAR(part[i], is_in ? vector[i] : 0.0, 1e-14);
  }
}

TEST(CsfExpansion, IsUndoneByProjection) {
  for (const int two_s : {0, 1, 4}) {
    const ConfigurationSpace<1> space = some_space(two_s);
    const auto vector = test::random_unit_vectors(space.size(), 1, 6);
    const auto expanded = expand_in_determinants<1>(space, vector);
    const auto back = project_on_csfs<1>(space, expanded.determinants, expanded.coefficients);
    for (std::size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(back[i], vector[i], 1e-14);
  }
}

TEST(CsfExpansion, AtAnotherMsIsTheSameState) {
  const ConfigurationSpace<1> triplets = some_space(2);
  const auto vector = test::random_unit_vectors(triplets.size(), 1, 8);
  CsfList<1> list{.two_s = 2, .configurations = {}, .couplings = {}};
  for (std::int64_t row = 0; row < triplets.size(); ++row) {
    const std::int32_t c = triplets.configuration_of_row(row);
    list.configurations.push_back(triplets.configuration(c));
    list.couplings.push_back(row - triplets.offset(c));
  }
  const std::vector<std::span<const double>> vectors = {vector, vector};
  for (const int ms2 : {2, 0, -2}) {
    const ProductSpace<1> space({.num_orbitals = 6,
                                 .irreps = {0, 1, 2, 3, 0, 1},
                                 .references = {{String::lowest(3 + ms2 / 2), String::lowest(3 - ms2 / 2)}},
                                 .excitation_level = 6,
                                 .irrep = any_irrep});
    const auto expanded = project_on_determinants<1>(space, list, vectors);
    const std::size_t n = space.size();
    ASSERT_EQ(expanded.size(), 2 * n);
    const std::vector<double> first(expanded.begin(), expanded.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(std::vector<double>(expanded.begin() + static_cast<std::ptrdiff_t>(n), expanded.end()), first);
    double norm = 0.0;
    for (const double c : first) norm += c * c;
    EXPECT_NEAR(norm, 1.0, 1e-13) << "nothing of it lies outside";
    EXPECT_NEAR(SpinExpectation<1>(space)(first, 1)(0, 0), 2.0, 1e-12);
    std::vector<Determinant<1>> determinants(n);
    space.enumerate(0, determinants);
    const auto back = project_on_csfs<1>(triplets, determinants, first);
    for (std::size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(back[i], vector[i], 1e-13) << ms2;
    list.two_s = 0;
    if (ms2 != 0) {
      EXPECT_THROW(project_on_determinants<1>(space, list, vectors), DimensionError);
    }
    list.two_s = 2;
  }
}

TEST(CsfExpansion, OfAnotherSpinProjectsToNothing) {
  // The Ms = 1 part of a quintet has no triplet in it. Determinants of Ms = 1 whose vector is a quintet: the
  // eigenvector of S^2 in the space of one configuration of four open shells.
  const ConfigurationSpace<1> triplets({.num_orbitals = 4,
                                        .irreps = {0, 0, 0, 0},
                                        .references = {{String{}, String::lowest(4)}},
                                        .excitation_level = 0,
                                        .irrep = any_irrep,
                                        .two_s = 2});
  std::vector<Determinant<1>> determinants;
  std::vector<double> quintet;
  for (int down = 0; down < 4; ++down) {
    const Determinant<1> d = determinant_of(triplets.configuration(0), 15U & ~(1U << down));
    determinants.push_back(d);
    quintet.push_back(is_interleaving_negative(d) ? -0.5 : 0.5);
  }
  EXPECT_NEAR(SpinExpectation<1>(ListSpace<1>(determinants, 4, any_irrep, 0, {}))(quintet, 1)(0, 0), 6.0,
              1e-13);
  for (const double c : project_on_csfs<1>(triplets, determinants, quintet)) EXPECT_NEAR(c, 0.0, 1e-15);
  EXPECT_THROW(project_on_csfs<1>(some_space(0), determinants, quintet), DimensionError);
}

TEST(CsfLabels, SortDegenerateRootsByIrrep) {
  const ConfigurationSpace<1> space = some_space(2);
  // Two unit vectors in CSFs of different irreps, mixed.
  const auto irrep_of_row = [&](std::int64_t row) {
    return irrep_of(space.configuration(space.configuration_of_row(row)).singly, space.selection().irreps);
  };
  std::int64_t other = 1;
  while (irrep_of_row(other) == irrep_of_row(0)) ++other;
  const std::size_t n = space.size();
  std::vector<double> vectors(2 * n, 0.0);
  const double c = std::sqrt(0.5);
  vectors[0] = vectors[n] = vectors[other] = -c;
  vectors[n + other] = c;
  std::vector<bool> rotated;
  const std::vector<double> energies = {-1.0, -1.0 + 1e-9};
  const auto labels = label_csf_states<1>(space, space.selection().irreps, energies, vectors, {}, &rotated);
  const int low = std::min(irrep_of_row(0), irrep_of_row(other)),
            high = std::max(irrep_of_row(0), irrep_of_row(other));
  EXPECT_EQ(labels[0].irrep, low);
  EXPECT_EQ(labels[1].irrep, high);
  EXPECT_EQ(labels[0].s_squared, 2.0);
  EXPECT_EQ(rotated, (std::vector<bool>{true, true}));
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, vectors[i]);
  EXPECT_NEAR(largest, 1.0, 1e-12) << "and the sign makes the largest component positive";
}

TEST(CsfText, SaysStepsAndDoubles) {
  const ConfigurationSpace<1> space(
      {.num_orbitals = 6,
       .irreps = std::vector<int>(6, 0),
       .references = {{String::lowest(1), String::lowest(6) & ~String::lowest(2)}},
       .excitation_level = 0,
       .irrep = any_irrep,
       .two_s = 0});
  ASSERT_EQ(space.size(), 2);
  EXPECT_EQ(csf_text(space, 0), "20uudd");
  EXPECT_EQ(csf_text(space, 1), "20udud");
}

}  // namespace test_csf_states
}  // namespace cisolve
