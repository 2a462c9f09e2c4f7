// SPDX-License-Identifier: MIT
#include "cisolve/analysis/one_body_norm.hpp"

#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_one_body_norm {

using Det = Determinant<1>;
using Psi = DeterminantVector<1>;

/// Occupations "2ud0" with coefficients.
Psi psi_of(const std::vector<std::pair<std::string, double>>& terms) {
  Psi psi;
  for (const auto& [occupation, c] : terms) {
    Det d;
    for (int p = 0; p < std::ssize(occupation); ++p) {
      if (occupation[p] == '2' || occupation[p] == 'u') d.alpha.set(p);
      if (occupation[p] == '2' || occupation[p] == 'd') d.beta.set(p);
    }
    psi.determinants.push_back(d);
    psi.coefficients.push_back(c);
  }
  return psi;
}

/// (r x grad) about an axis over p_x, p_y, p_z.
Matrix turned(int axis) {
  Matrix r(3, 3);
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  r(j, i) = -1.0;
  r(i, j) = 1.0;
  return r;
}

double angular_momentum(const Psi& psi) {
  double sum = 0.0;
  for (int axis = 0; axis < 3; ++axis) sum += one_body_norm(psi, turned(axis));
  return sum;
}

constexpr double rounding = 1e-14;

TEST(OneBodyNorm, GivesTheAngularMomentumOfPSquared) {
  EXPECT_NEAR(angular_momentum(psi_of({{"uu0", 1.0}})), 2.0, rounding);                              // 3P
  EXPECT_NEAR(angular_momentum(psi_of({{"ud0", 1.0}, {"du0", -1.0}})), 2.0, rounding);               // 3P
  EXPECT_NEAR(angular_momentum(psi_of({{"ud0", 1.0}, {"du0", 1.0}})), 6.0, rounding);                // 1D
  EXPECT_NEAR(angular_momentum(psi_of({{"200", 1.0}, {"020", -1.0}})), 6.0, rounding);               // 1D
  EXPECT_NEAR(angular_momentum(psi_of({{"200", 2.0}, {"020", 2.0}, {"002", 2.0}})), 0.0, rounding);  // 1S
  EXPECT_NEAR(angular_momentum(psi_of({{"222", 1.0}})), 0.0, rounding);
  EXPECT_NEAR(angular_momentum(psi_of({{"uuu", 1.0}})), 0.0, rounding);  // 4S
}

TEST(OneBodyNorm, TellsTheStatesOfPiSquared) {
  EXPECT_NEAR(one_body_norm(psi_of({{"200", 1.0}, {"020", -1.0}}), turned(2)), 4.0, rounding);  // Delta
  EXPECT_NEAR(one_body_norm(psi_of({{"ud0", 1.0}, {"du0", 1.0}}), turned(2)), 4.0, rounding);   // Delta
  EXPECT_NEAR(one_body_norm(psi_of({{"200", 1.0}, {"020", 1.0}}), turned(2)), 0.0, rounding);   // Sigma+
  EXPECT_NEAR(one_body_norm(psi_of({{"uu0", 1.0}}), turned(2)), 0.0, rounding);                 // Sigma-
  EXPECT_NEAR(one_body_norm(psi_of({{"u00", 1.0}}), turned(2)), 1.0, rounding);                 // Pi
}

// Signs of the strings: an electron that jumps over another.
TEST(OneBodyNorm, CountsTheElectronsInBetween) {
  Matrix r(3, 3);
  r(0, 2) = r(1, 2) = 1.0;
  // E_02 |0 1 0> vanishes, E_02 (a+_1 a+_2) = -a+_0 a+_1 and E_12 (a+_0 a+_2) = a+_0 a+_1: they cancel.
  EXPECT_NEAR(one_body_norm(psi_of({{"0uu", 1.0}, {"u0u", 1.0}}), r), 0.0, rounding);
  EXPECT_NEAR(one_body_norm(psi_of({{"0uu", 1.0}, {"u0u", -1.0}}), r), 2.0, rounding);
  r(2, 2) = 3.0;  // a diagonal element counts electrons
  EXPECT_NEAR(one_body_norm(psi_of({{"002", 1.0}}), r), 36.0 + 2.0 * 2.0, 1e-13);
}

TEST(OneBodyNorm, NeedsACoefficientPerDeterminant) {
  Psi psi = psi_of({{"u00", 1.0}});
  psi.coefficients.clear();
  EXPECT_THROW(one_body_norm(psi, turned(0)), DimensionError);
  EXPECT_EQ(one_body_norm(Psi{}, turned(0)), 0.0);
}

}  // namespace test_one_body_norm
}  // namespace cisolve
