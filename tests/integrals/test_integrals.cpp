// SPDX-License-Identifier: MIT
#include "cisolve/integrals/integrals.hpp"

#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_integrals {

TEST(Integrals, EightPermutationsAreOneElement) {
  Integrals integrals(5);
  EXPECT_EQ(integrals.one.size(), 15U);
  EXPECT_EQ(integrals.two.size(), 120U);
  integrals.eri(4, 1, 2, 0) = 7.0;
  const int permutations[][4] = {{4, 1, 2, 0}, {1, 4, 2, 0}, {4, 1, 0, 2}, {1, 4, 0, 2},
                                 {2, 0, 4, 1}, {0, 2, 4, 1}, {2, 0, 1, 4}, {0, 2, 1, 4}};
  for (const auto& [p, q, r, s] : permutations) EXPECT_EQ(integrals.eri(p, q, r, s), 7.0);
  EXPECT_EQ(integrals.eri(4, 2, 1, 0), 0.0);
  integrals.h(1, 3) = 2.0;
  EXPECT_EQ(integrals.h(3, 1), 2.0);
}

TEST(Integrals, NoOrbitalsAndWrongShapes) {
  EXPECT_NO_THROW(check_shapes(Integrals(0)));
  EXPECT_NO_THROW(check_shapes(Integrals()));
  EXPECT_THROW(Integrals(-1), DimensionError);
  Integrals integrals(3);
  integrals.two.pop_back();
  EXPECT_THROW(check_shapes(integrals), DimensionError);
  EXPECT_THROW(hash(integrals), DimensionError);
}

TEST(Integrals, HashSeesEveryPart) {
  const Integrals integrals(3);
  Integrals core = integrals, one = integrals, two = integrals, irreps = integrals;
  core.core_energy = 1e-300;
  one.h(2, 1) = 1e-300;
  two.eri(2, 1, 1, 0) = 1e-300;
  irreps.irreps[1] = 1;
  for (const Integrals* other : {&core, &one, &two, &irreps}) EXPECT_NE(hash(*other), hash(integrals));
  EXPECT_EQ(hash(Integrals(3)), hash(integrals));
  EXPECT_NE(hash(Integrals(4)), hash(integrals));
}

}  // namespace test_integrals
}  // namespace cisolve
