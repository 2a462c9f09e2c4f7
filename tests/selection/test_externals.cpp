// SPDX-License-Identifier: MIT
// Sums over external determinants, against sums over all of them by the Slater-Condon rules.
#include "cisolve/selection/externals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "selection/all_determinants.hpp"

namespace cisolve {
namespace test_externals {

/// What the definition says of one external determinant.
template <int Words>
struct DefinedExternal {
  Determinant<Words> determinant;
  double diagonal;
  std::vector<double> sums;  ///< H_ac of each wavefunction
};

template <int Words>
std::vector<DefinedExternal<Words>> externals_by_definition(const RandomSelection<Words>& s) {
  std::vector<DefinedExternal<Words>> found;
  const std::size_t n = s.listed.size();
  for (const auto& a : s.all) {
    if (s.is_listed(a)) continue;
    DefinedExternal<Words> external{a, matrix_element(s.integrals, a, a),
                                    std::vector<double>(s.energies.size(), 0.0)};
    bool is_connected = false;
    for (std::size_t i = 0; i < n; ++i) {
      const double element = matrix_element(s.integrals, a, s.listed[i]);
      is_connected = is_connected || element != 0.0;
      for (std::size_t k = 0; k < s.energies.size(); ++k) external.sums[k] += element * s.vectors[k * n + i];
    }
    if (is_connected) found.push_back(external);
  }
  return found;
}

template <int Words>
void expect_sums_of_definition(const typename RandomSelection<Words>::Shape& shape) {
  const RandomSelection<Words> s(shape);
  const auto defined = externals_by_definition(s);
  constexpr std::int64_t many = 1 << 19;
  for (const std::int64_t most_numbered :
       {std::int64_t{0}, many}) {  // hashed, and each with a place of its own
    const ExternalSpace<Words> space(s.tables, s.alpha_moves, s.beta_moves, s.listed, most_numbered);
    const SecondOrder found = space.sum({s.vectors, s.energies});
    EXPECT_EQ(found.externals, std::ssize(defined));
    for (std::size_t k = 0; k < s.energies.size(); ++k) {
      double energy = 0.0, variance = 0.0;
      for (const auto& external : defined) {
        variance += external.sums[k] * external.sums[k];
        energy += external.sums[k] * external.sums[k] / (s.energies[k] - external.diagonal);
      }
      EXPECT_NEAR(found.variance[k], variance, 1e-11 * variance);  // rounding of sums of some hundred terms
      EXPECT_NEAR(found.energy[k], energy, 1e-10 * std::abs(energy));
      EXPECT_EQ(found.energy_error[k], 0.0);
    }
  }
}

TEST(Externals, AreThoseOfTheDefinition) {
  expect_sums_of_definition<1>({});
  expect_sums_of_definition<1>({.orbitals = 7, .alpha = 3, .beta = 3, .irreps = 1, .zeros = 0.5});
  expect_sums_of_definition<1>(
      {.orbitals = 6, .alpha = 2, .beta = 4, .irreps = 8, .share = 0.05, .roots = 1});
  expect_sums_of_definition<1>({.orbitals = 6, .alpha = 3, .beta = 3, .irreps = 2, .unrestricted = true});
  expect_sums_of_definition<2>({.orbitals = 6, .alpha = 3, .beta = 2});
  expect_sums_of_definition<4>({.orbitals = 6, .alpha = 2, .beta = 2, .irreps = 2, .roots = 3});
}

TEST(Externals, HaveFewElectronsOrHoles) {
  for (const auto& [alpha, beta] : {std::array{1, 0}, {2, 0}, {0, 2}, {1, 1}, {5, 1}, {4, 5}, {5, 5}})
    expect_sums_of_definition<1>({.orbitals = 5, .alpha = alpha, .beta = beta, .irreps = 1});
}

TEST(Externals, OfOrbitalsBeyondTheFirstWord) {
  expect_sums_of_definition<2>(
      {.orbitals = 66, .alpha = 1, .beta = 1, .irreps = 8, .zeros = 0.9, .share = 0.01});
}

TEST(Externals, DoNotDependOnThreads) {
  const RandomSelection<1> s({.orbitals = 8, .alpha = 4, .beta = 3});
  std::vector<SecondOrder> found;
  for (const int threads : {1, 2, 5}) {
    const ThreadScope scope(threads);
    found.push_back(
        ExternalSpace<1>(s.tables, s.alpha_moves, s.beta_moves, s.listed).sum({s.vectors, s.energies}));
  }
  for (const SecondOrder& other : found) {
    EXPECT_EQ(other.energy, found[0].energy);
    EXPECT_EQ(other.variance, found[0].variance);
  }
}

TEST(Externals, AreChosenByTheirMeasure) {
  const RandomSelection<1> s({.orbitals = 7, .alpha = 3, .beta = 3});
  const auto defined = externals_by_definition(s);
  const ExternalSpace<1> space(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  for (const ExternalMeasure measure : {ExternalMeasure::contribution, ExternalMeasure::amplitude}) {
    std::vector<std::pair<double, Determinant<1>>> expected;
    for (const auto& external : defined) {
      double largest = 0.0;
      for (std::size_t k = 0; k < s.energies.size(); ++k) {
        const double h = external.sums[k], gap = std::abs(s.energies[k] - external.diagonal);
        largest = std::max(largest, measure == ExternalMeasure::amplitude ? std::abs(h) / gap : h * h / gap);
      }
      expected.emplace_back(largest, external.determinant);
    }
    std::ranges::sort(expected, std::greater());
    constexpr std::size_t most = 25;
    std::vector<External<1>> chosen;
    space.sum({s.vectors, s.energies}, {.measure = measure, .most = most}, chosen);
    ASSERT_EQ(chosen.size(), most);
    for (std::size_t k = 0; k < most; ++k) {
      EXPECT_EQ(chosen[k].determinant, expected[k].second);
      EXPECT_NEAR(chosen[k].measure, expected[k].first, 1e-10 * expected[k].first);
    }
    space.sum({s.vectors, s.energies}, {.measure = measure, .most = 0}, chosen);
    EXPECT_TRUE(chosen.empty());
    const double threshold = 0.5 * (expected[40].first + expected[41].first);
    space.sum({s.vectors, s.energies}, {.measure = measure, .threshold = threshold}, chosen);
    EXPECT_EQ(chosen.size(), 41);
  }
}

/// With seeds, errors are normal: 68 % within the error bar, 95 % within two.
TEST(Externals, EstimatesHaveTheErrorsThatTheySay) {
  const ThreadScope scope(1);  // small sums: threads would wait for each other
  const RandomSelection<1> s({.orbitals = 13, .alpha = 5, .beta = 5, .share = 0.0002, .roots = 1});
  const ExternalSpace<1> space(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  const SecondOrder exact = space.sum({s.vectors, s.energies});
  constexpr int seeds = 200;
  int within_one = 0, within_two = 0;
  double mean = 0.0, mean_error = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const SecondOrder found =
        space.estimate({s.vectors, s.energies}, {.error = 0.02 * std::abs(exact.energy[0]),
                                                 .seed = static_cast<std::uint64_t>(seed),
                                                 .first_samples = 100});
    const double deviation = (found.energy[0] - exact.energy[0]) / found.energy_error[0];
    EXPECT_GT(found.energy_error[0], 0.0);
    within_one += std::abs(deviation) < 1.0 ? 1 : 0;
    within_two += std::abs(deviation) < 2.0 ? 1 : 0;
    mean += deviation / seeds;
    mean_error += found.energy_error[0] / seeds;
  }
  // Three standard deviations of the binomial distributions, and of the mean.
  EXPECT_NEAR(within_one, 0.683 * seeds, 3.0 * std::sqrt(0.683 * 0.317 * seeds));
  EXPECT_NEAR(within_two, 0.954 * seeds, 3.0 * std::sqrt(0.954 * 0.046 * seeds));
  EXPECT_LT(std::abs(mean), 3.0 / std::sqrt(seeds));
  EXPECT_LE(mean_error, 0.02 * std::abs(exact.energy[0]));
}

/// Of lattice models many excitations have one-electron elements alone: no string may be left out for having no others.
TEST(Externals, EstimatesHaveNoBiasWithoutTwoElectronIntegrals) {
  RandomSelection<1> s(
      {.orbitals = 8, .alpha = 4, .beta = 4, .irreps = 1, .zeros = 0.6, .share = 0.01, .roots = 1});
  for (double& value : s.integrals.two) value = 0.0;
  const IntegralTables tables(s.integrals, 0.0);
  const SameSpinMoves moves(tables);
  const ExternalSpace<1> space(tables, moves, moves, s.listed);
  const SecondOrder exact = space.sum({s.vectors, s.energies});
  ASSERT_LT(exact.energy[0], 0.0);
  const SecondOrder found =
      space.estimate({s.vectors, s.energies}, {.error = 0.01 * std::abs(exact.energy[0])});
  EXPECT_LE(std::abs(found.energy[0] - exact.energy[0]), 4.0 * found.energy_error[0] + 1e-12);
}

TEST(Externals, SamplesThatAreAllOfThemAreExact) {
  const RandomSelection<1> s({.orbitals = 5, .alpha = 2, .beta = 2, .roots = 1});
  const ExternalSpace<1> space(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  const SecondOrder found = space.estimate({s.vectors, s.energies}, {.error = 1e-14});
  EXPECT_EQ(found.energy_error[0], 0.0);
  const double exact = space.sum({s.vectors, s.energies}).energy[0];
  EXPECT_NEAR(found.energy[0], exact, 1e-12 * std::abs(exact));
}

TEST(Externals, EstimatesRepeatToTheLastBit) {
  const RandomSelection<1> s({.orbitals = 8, .alpha = 4, .beta = 3, .share = 0.05});
  const ExternalSpace<1> space(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  const double error = 0.02 * std::abs(space.sum({s.vectors, s.energies}).energy[0]);
  std::vector<SecondOrder> found;
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    found.push_back(space.estimate({s.vectors, s.energies}, {.error = error, .seed = 7}));
  }
  EXPECT_EQ(found[0].energy, found[1].energy);
  EXPECT_EQ(found[0].energy_error, found[1].energy_error);
  EXPECT_NE(space.estimate({s.vectors, s.energies}, {.error = error, .seed = 8}).energy, found[0].energy);
}

TEST(Externals, StopWhenAsked) {
  const RandomSelection<1> s({});
  const ExternalSpace<1> space(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW((void)space.sum({s.vectors, s.energies}, {.stop = stop.get_token()}), Interrupted);
  EXPECT_THROW((void)space.sum({s.energies, s.energies}), DimensionError);
}

}  // namespace test_externals
}  // namespace cisolve
