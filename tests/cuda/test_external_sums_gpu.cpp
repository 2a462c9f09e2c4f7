// SPDX-License-Identifier: MIT
// Sums over external determinants on the device, against those of the host.
#include "cuda/selection/external_sums.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cuda/device_test.hpp"
#include "selection/all_determinants.hpp"

namespace cisolve::cuda {
namespace test_external_sums_gpu {

class ExternalSumsGpu : public test::DeviceTest {};

/// The usual pieces, ones so small that there are many parts, batches, overflows, rounds of choices and portions of tables,
/// and the chunks of long lists.
std::vector<ExternalSumsConfig> configs() {
  return {{},
          {.batch_slots = 1 << 10, .choice_slots = 1 << 10, .least_parts = 5},
          {.batch_slots = 1, .choice_slots = 1 << 8, .least_parts = 2, .first_density = 0.01},
          {.batch_slots = 1, .most_slots = 128, .chunk = 64},
          {.chunk = 512},
          {.batch_slots = 1 << 12, .most_slots = 256, .first_density = 0.02}};
}

template <int Words>
void expect_sums_of_host(const typename RandomSelection<Words>::Shape& shape) {
  const RandomSelection<Words> s(shape);
  const Wavefunctions wavefunctions{s.vectors, s.energies};
  const SecondOrder expected =
      ExternalSpace<Words>(s.tables, s.alpha_moves, s.beta_moves, s.listed).sum(wavefunctions);
  for (const ExternalSumsConfig& config : configs()) {
    ExternalSums<Words> sums(s.tables, s.alpha_moves, s.beta_moves, s.listed, config);
    const SecondOrder found = sums.sum(wavefunctions);
    EXPECT_EQ(found.externals, expected.externals);
    EXPECT_EQ(found.contributions, expected.contributions);
    EXPECT_EQ(found.intruders, expected.intruders);
    for (std::size_t k = 0; k < s.energies.size(); ++k) {
      EXPECT_NEAR(found.energy[k], expected.energy[k], 1e-10 * std::abs(expected.energy[k]));
      EXPECT_NEAR(found.variance[k], expected.variance[k], 1e-10 * expected.variance[k]);
      EXPECT_EQ(found.energy_error[k], 0.0);
    }
    const SecondOrder again = sums.sum(wavefunctions);
    EXPECT_EQ(again.variance, found.variance) << "H_ac must repeat to the last bit";
    EXPECT_EQ(again.externals, found.externals);
    for (std::size_t k = 0; k < s.energies.size(); ++k)
      EXPECT_NEAR(again.energy[k], found.energy[k], 1e-14 * std::abs(found.energy[k]));
  }
}

TEST_F(ExternalSumsGpu, AreThoseOfTheHost) {
  expect_sums_of_host<1>({});
  expect_sums_of_host<1>({.orbitals = 7, .alpha = 3, .beta = 3, .irreps = 1, .zeros = 0.5});
  expect_sums_of_host<1>({.orbitals = 6, .alpha = 2, .beta = 4, .irreps = 8, .share = 0.05, .roots = 1});
  expect_sums_of_host<1>({.orbitals = 6, .alpha = 3, .beta = 3, .irreps = 2, .unrestricted = true});
  expect_sums_of_host<1>({.orbitals = 11, .alpha = 5, .beta = 5, .irreps = 4, .share = 0.01, .roots = 1});
  expect_sums_of_host<2>({.orbitals = 6, .alpha = 3, .beta = 2});
  expect_sums_of_host<4>({.orbitals = 6, .alpha = 2, .beta = 2, .irreps = 2, .roots = 3});
}

TEST_F(ExternalSumsGpu, HaveFewElectronsOrHoles) {
  for (const auto& [alpha, beta] : {std::array{1, 0}, {2, 0}, {0, 2}, {1, 1}, {5, 1}, {4, 5}, {5, 5}})
    expect_sums_of_host<1>({.orbitals = 5, .alpha = alpha, .beta = beta, .irreps = 1});
}

TEST_F(ExternalSumsGpu, OfOrbitalsBeyondTheFirstWord) {
  expect_sums_of_host<2>({.orbitals = 66, .alpha = 1, .beta = 1, .irreps = 8, .zeros = 0.9, .share = 0.01});
  expect_sums_of_host<2>({.orbitals = 70, .alpha = 2, .beta = 1, .irreps = 8, .zeros = 0.9, .share = 0.0005});
}

/// More than 32 alpha strings in a row that have one determinant each.
TEST_F(ExternalSumsGpu, OfManySourcesWithOneDeterminant) {
  expect_sums_of_host<1>({.orbitals = 14, .alpha = 4, .beta = 4, .irreps = 1, .share = 5e-5, .roots = 1});
  expect_sums_of_host<2>({.orbitals = 14, .alpha = 4, .beta = 4, .irreps = 2, .share = 5e-5});
}

TEST_F(ExternalSumsGpu, ChooseThoseOfTheHost) {
  const RandomSelection<1> s({.orbitals = 9, .alpha = 4, .beta = 3, .share = 0.05});
  const Wavefunctions wavefunctions{s.vectors, s.energies};
  const ExternalSpace<1> host(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  std::vector<External<1>> all;
  host.sum(wavefunctions, ExternalChoice{}, all);
  ASSERT_GT(all.size(), 500);
  for (const ExternalSumsConfig& config : configs()) {
    ExternalSums<1> device(s.tables, s.alpha_moves, s.beta_moves, s.listed, config);
    for (const ExternalMeasure measure : {ExternalMeasure::contribution, ExternalMeasure::amplitude}) {
      const double middle = 0.5 * (all[100].measure + all[101].measure);
      for (const ExternalChoice& choice :
           {ExternalChoice{.measure = measure}, ExternalChoice{.measure = measure, .most = 25},
            ExternalChoice{.measure = measure, .most = 0},
            ExternalChoice{.measure = measure, .threshold = middle}}) {
        std::vector<External<1>> expected, found;
        host.sum(wavefunctions, choice, expected);
        const SecondOrder sums = device.sum(wavefunctions, choice, found);
        EXPECT_EQ(sums.externals, std::ssize(all));
        ASSERT_EQ(found.size(), expected.size());
        // Measures are the same but for rounding, which may order equal ones otherwise.
        std::vector<Determinant<1>> of_host, of_device;
        for (std::size_t k = 0; k < found.size(); ++k) {
          EXPECT_NEAR(found[k].measure, expected[k].measure, 1e-9 * expected[k].measure);
          of_host.push_back(expected[k].determinant);
          of_device.push_back(found[k].determinant);
        }
        std::ranges::sort(of_host);
        std::ranges::sort(of_device);
        EXPECT_EQ(of_device, of_host);
      }
    }
  }
}

/// The sample of the host, whose units are drawn by the same numbers.
template <int Words>
void expect_estimates_of_host(const typename RandomSelection<Words>::Shape& shape) {
  const RandomSelection<Words> s(shape);
  const Wavefunctions wavefunctions{s.vectors, s.energies};
  const ExternalSpace<Words> host(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  const double exact = host.sum(wavefunctions).energy[0];
  for (const double error : {0.2, 0.02, 1e-12}) {  // one stage, several, all
    const SamplingConfig sampling{.error = error * std::abs(exact), .seed = 3, .first_samples = 60};
    const SecondOrder expected = host.estimate(wavefunctions, sampling);
    for (const ExternalSumsConfig& config : configs()) {
      ExternalSums<Words> sums(s.tables, s.alpha_moves, s.beta_moves, s.listed, config);
      const SecondOrder found = sums.estimate(wavefunctions, sampling);
      EXPECT_EQ(found.externals, expected.externals);
      EXPECT_EQ(found.contributions, expected.contributions);
      for (std::size_t k = 0; k < s.energies.size(); ++k) {
        EXPECT_NEAR(found.energy[k], expected.energy[k], 1e-9 * std::abs(expected.energy[k]));
        EXPECT_NEAR(found.energy_error[k], expected.energy_error[k], 1e-6 * std::abs(exact));
        EXPECT_NEAR(found.variance[k], expected.variance[k], 1e-9 * expected.variance[k]);
      }
      const SecondOrder again = sums.estimate(wavefunctions, sampling);
      EXPECT_EQ(again.energy, found.energy) << "a seed must give the same bits";
      EXPECT_EQ(again.energy_error, found.energy_error);
      EXPECT_EQ(again.variance, found.variance);
    }
  }
}

TEST_F(ExternalSumsGpu, EstimatesAreThoseOfTheHost) {
  expect_estimates_of_host<1>({.orbitals = 11, .alpha = 5, .beta = 5, .share = 0.0005, .roots = 1});
  expect_estimates_of_host<1>({.orbitals = 10, .alpha = 4, .beta = 5, .irreps = 2, .share = 0.002});
  expect_estimates_of_host<1>({.orbitals = 9, .alpha = 4, .beta = 4, .unrestricted = true, .share = 0.01});
  expect_estimates_of_host<2>({.orbitals = 9, .alpha = 3, .beta = 4, .share = 0.01});
}

TEST_F(ExternalSumsGpu, EstimatesHaveTheErrorsThatTheySay) {
  const RandomSelection<1> s({.orbitals = 13, .alpha = 5, .beta = 5, .share = 0.0002, .roots = 1});
  ExternalSums<1> sums(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  const double exact = sums.sum({s.vectors, s.energies}).energy[0];
  constexpr int seeds = 200;
  int within_one = 0, within_two = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const SecondOrder found = sums.estimate(
        {s.vectors, s.energies},
        {.error = 0.02 * std::abs(exact), .seed = static_cast<std::uint64_t>(seed), .first_samples = 100});
    EXPECT_GT(found.energy_error[0], 0.0);
    EXPECT_LE(found.energy_error[0], 0.02 * std::abs(exact));
    within_one += std::abs(found.energy[0] - exact) < found.energy_error[0] ? 1 : 0;
    within_two += std::abs(found.energy[0] - exact) < 2.0 * found.energy_error[0] ? 1 : 0;
  }
  // Three standard deviations of the binomial distributions.
  EXPECT_NEAR(within_one, 0.683 * seeds, 3.0 * std::sqrt(0.683 * 0.317 * seeds));
  EXPECT_NEAR(within_two, 0.954 * seeds, 3.0 * std::sqrt(0.954 * 0.046 * seeds));
}

TEST_F(ExternalSumsGpu, StopWhenAsked) {
  const RandomSelection<1> s({});
  ExternalSums<1> sums(s.tables, s.alpha_moves, s.beta_moves, s.listed);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW((void)sums.sum({s.vectors, s.energies}, {.stop = stop.get_token()}), Interrupted);
  EXPECT_THROW((void)sums.sum({s.energies, s.energies}), DimensionError);
}

}  // namespace test_external_sums_gpu
}  // namespace cisolve::cuda
