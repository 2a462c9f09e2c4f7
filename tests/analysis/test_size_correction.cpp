// SPDX-License-Identifier: MIT
#include "cisolve/analysis/size_correction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cisolve {
namespace test_size_correction {

// As published (Pople, Seeger, Krishnan 1977): loses digits for small angles, hence the tolerance below.
double published_pople(double c0_squared, double correlation, int electrons) {
  const double theta = std::acos(std::sqrt(c0_squared));
  const double n = electrons;
  const double tangent = std::tan(2.0 * theta);
  const double numerator = std::sqrt(n * n + 2.0 * n * tangent * tangent) - n;
  return (numerator / (2.0 * (1.0 / std::cos(2.0 * theta) - 1.0)) - 1.0) * correlation;
}

TEST(SizeCorrection, FollowsItsDefinitions) {
  for (const double c0_squared : {0.55, 0.7, 0.9, 0.99}) {
    for (const int electrons : {1, 2, 3, 10, 200}) {
      const SizeCorrection q = size_correction(c0_squared, -76.2, -76.0, electrons);
      EXPECT_NEAR(q.davidson, (1.0 - c0_squared) * -0.2, 1e-14);
      EXPECT_NEAR(q.renormalised, (1.0 - c0_squared) / c0_squared * -0.2, 1e-14);
      EXPECT_NEAR(q.pople, published_pople(c0_squared, -0.2, electrons), 1e-12)
          << c0_squared << ' ' << electrons;
    }
  }
}

TEST(SizeCorrection, HasPoplesLimits) {
  // Two electrons: doubles are exact. Many: the renormalised form of Davidson and Silver.
  for (const double c0_squared : {0.6, 0.9, 0.999}) {
    EXPECT_NEAR(size_correction(c0_squared, -1.0, 0.0, 2).pople, 0.0, 1e-14);
    EXPECT_NEAR(size_correction(c0_squared, -1.0, 0.0, 1'000'000'000).pople,
                -(1.0 - c0_squared) / (2.0 * c0_squared - 1.0), 1e-7);
  }
  // A state that is its reference needs none, and the formula does not divide by zero there.
  const SizeCorrection none = size_correction(1.0, -1.0, -1.0, 8);
  EXPECT_EQ(none.davidson, 0.0);
  EXPECT_EQ(none.pople, 0.0);
}

// Two non-interacting pairs of electrons, each a two-configuration problem: CISD of both, corrected by Pople's
// formula for four electrons, is nearer the exact sum than CISD itself.
TEST(SizeCorrection, MendsTwoPairs) {
  const double gap = 1.0, coupling = 0.1;
  const double pair = 0.5 * gap - std::sqrt(0.25 * gap * gap + coupling * coupling);
  // Without the quadruple: reference, and the symmetric combination of the two double excitations.
  const double b = std::sqrt(2.0) * coupling;
  const double cisd = 0.5 * gap - std::sqrt(0.25 * gap * gap + b * b);
  const double c0_squared = 1.0 / (1.0 + cisd * cisd / (b * b));
  const double error = cisd - 2.0 * pair;
  ASSERT_GT(error, 0.0);
  EXPECT_LT(std::abs(error + size_correction(c0_squared, cisd, 0.0, 4).pople), 0.2 * error);
}

TEST(SizeCorrection, IsNotGivenForStatesOutsideTheReferences) {
  for (const double c0_squared : {0.0, 0.3, 0.5}) {
    const SizeCorrection q = size_correction(c0_squared, -1.0, 0.0, 8);
    EXPECT_TRUE(std::isnan(q.davidson) && std::isnan(q.renormalised) && std::isnan(q.pople));
  }
}

}  // namespace test_size_correction
}  // namespace cisolve
