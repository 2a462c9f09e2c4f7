// SPDX-License-Identifier: MIT
#include "cisolve/analysis/natural_orbitals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_natural_orbitals {

constexpr double rounding = 1e-14;

/// Orbitals 0 and 2 of one irrep hold 1.5 +- 0.4, 1 and 3 of another 1.9 and, to rounding, 1.1.
Matrix density() {
  Matrix d(4, 4);
  d(0, 0) = d(2, 2) = 1.5;
  d(0, 2) = d(2, 0) = -0.4;
  d(1, 1) = 1.1 + 1e-12;
  d(3, 3) = 1.9;
  d(0, 1) = d(1, 0) = 1e-9;  // noise between irreps
  return d;
}
const std::vector<int> irreps = {0, 3, 0, 3};

TEST(NaturalOrbitals, DescendWithTheLowerIrrepFirstAmongEqualOnes) {
  const NaturalOrbitals natural = natural_orbitals(density(), irreps);
  EXPECT_EQ(natural.irreps, (std::vector<int>{0, 3, 0, 3}));
  const std::vector<double> expected = {1.9, 1.9, 1.1, 1.1};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(natural.occupations[k], expected[k], 2e-12);
}

TEST(NaturalOrbitals, AreRowsOfPureIrrepWithTheFirstLargestCoefficientPositive) {
  const NaturalOrbitals natural = natural_orbitals(density(), irreps);
  const double half = std::sqrt(0.5);
  const double expected[4][4] = {
      {half, 0.0, -half, 0.0}, {0.0, 0.0, 0.0, 1.0}, {half, 0.0, half, 0.0}, {0.0, 1.0, 0.0, 0.0}};
  for (int k = 0; k < 4; ++k) {
    for (int p = 0; p < 4; ++p) EXPECT_NEAR(natural.coefficients(k, p), expected[k][p], rounding) << k << p;
  }
}

TEST(NaturalOrbitals, RefuseSizesThatDoNotAgree) {
  EXPECT_THROW(natural_orbitals(Matrix(4, 3), irreps), DimensionError);
  EXPECT_THROW(natural_orbitals(Matrix(3, 3), irreps), DimensionError);
  EXPECT_TRUE(natural_orbitals(Matrix(), {}).occupations.empty());
}

}  // namespace test_natural_orbitals
}  // namespace cisolve
