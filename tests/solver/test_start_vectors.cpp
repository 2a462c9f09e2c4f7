// SPDX-License-Identifier: MIT
#include "solver/start_vectors.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "solver/stagnation.hpp"

namespace cisolve {
namespace {

TEST(LowestRows, AreInOrderAndEqualOnesByNumber) {
  const std::vector<double> diagonal = {3.0, -1.0, 2.0, -1.0, 5.0, 0.0};
  EXPECT_EQ(lowest_rows(diagonal, 4), (std::vector<std::int64_t>{1, 3, 5, 2}));
  EXPECT_EQ(lowest_rows(diagonal, 1), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(lowest_rows(diagonal, 9).size(), 6u);
  EXPECT_TRUE(lowest_rows(diagonal, 0).empty());
}

TEST(LowLyingNoise, RepeatsAndLeansTowardsLowElements) {
  std::vector<double> diagonal(2000, 10.0);
  for (std::size_t i = 0; i < 1000; ++i) diagonal[i] = 0.0;
  std::vector<double> first(2000), again(2000), other(2000);
  low_lying_noise(diagonal, 2.0, 1, first);
  low_lying_noise(diagonal, 2.0, 1, again);
  low_lying_noise(diagonal, 2.0, 2, other);
  EXPECT_EQ(first, again);
  double low = 0.0, high = 0.0, overlap = 0.0, mean = 0.0;
  for (std::size_t i = 0; i < 2000; ++i) {
    (i < 1000 ? low : high) += first[i] * first[i];
    overlap += first[i] * other[i];
    mean += first[i];
    EXPECT_NE(first[i], 0.0);
  }
  EXPECT_NEAR(low, 1000.0 / 3.0, 50.0);  // Uniform in [-1, 1].
  EXPECT_NEAR(high / low, std::pow(2.0 / 12.0, 8), 1e-7);
  EXPECT_LT(std::abs(overlap), 60.0);  // About 1000 terms of variance 1/9.
  EXPECT_LT(std::abs(mean), 90.0);
}

IterationRecord record(std::vector<double> energies, std::vector<double> residuals) {
  return {.energies = std::move(energies), .residual_norms = std::move(residuals)};
}

TEST(Stagnation, CountsIterationsWithoutProgress) {
  Stagnation stagnation(3);
  EXPECT_FALSE(stagnation.check(record({-1.0}, {1e-3}), 1e-6));
  EXPECT_FALSE(stagnation.check(record({-1.0}, {1e-3}), 1e-6));
  EXPECT_FALSE(stagnation.check(record({-1.0}, {2e-3}), 1e-6));
  EXPECT_TRUE(stagnation.check(record({-1.0}, {1e-3}), 1e-6));
}

TEST(Stagnation, SeesProgressInAnyQuantity) {
  Stagnation stagnation(1);
  EXPECT_FALSE(stagnation.check(record({-1.0, 0.0}, {1e-3, 1e-3}), 1e-6));
  EXPECT_FALSE(stagnation.check(record({-1.0, 0.0}, {5e-4, 5e-4}), 1e-6)) << "residual";
  EXPECT_FALSE(stagnation.check(record({-1.1, 0.0}, {1e-3, 1e-3}), 1e-6)) << "energy";
  EXPECT_FALSE(stagnation.check(record({-1.1, 0.0}, {1e-7, 1e-3}), 1e-6)) << "a converged root";
  EXPECT_FALSE(stagnation.check(record({-1.1, 0.0, 0.1}, {1e-7, 1e-3, 1e-2}), 1e-6)) << "another root";
  EXPECT_TRUE(stagnation.check(record({-1.1, 0.0, 0.1}, {1e-7, 1e-3, 1e-2}), 1e-6));
}

}  // namespace
}  // namespace cisolve
