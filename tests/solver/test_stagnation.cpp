// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "solver/stagnation.hpp"

namespace cisolve {
namespace test_stagnation {

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

}  // namespace test_stagnation
}  // namespace cisolve
