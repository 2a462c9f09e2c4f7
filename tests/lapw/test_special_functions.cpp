// SPDX-License-Identifier: MIT
#include "cisolve/lapw/special_functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/crystal.hpp"

namespace cisolve::lapw {
namespace test_special_functions {

constexpr double pi = std::numbers::pi;

std::vector<double> bessel(double x, int lmax) {
  std::vector<double> j(static_cast<std::size_t>(lmax) + 1);
  spherical_bessel(x, j);
  return j;
}

std::vector<Complex> harmonics(const Vector3& v, int lmax) {
  std::vector<Complex> y(static_cast<std::size_t>(num_functions(lmax)));
  spherical_harmonics(v, lmax, y);
  return y;
}

Complex harmonic(const Vector3& v, int l, int m) {
  return harmonics(v, l)[static_cast<std::size_t>(function_index(l, m))];
}

TEST(SphericalBessel, IsThatOfMpmath) {
  constexpr std::array<std::size_t, 6> l = {0, 1, 2, 8, 17, 26};
  struct Case {
    double x;
    std::array<double, 6> j;  // mpmath 1.2.1, 60 digits
  };
  const std::vector<Case> cases = {
      {1e-08,
       {0.99999999999999998, 3.3333333333333334e-9, 6.6666666666666669e-18, 2.9019636862774122e-72,
        4.5117579586643399e-157, 6.3310340934975232e-244}},
      {0.3,
       {0.98506735553779858, 0.099102888040641877, 0.0059615248686202173, 1.8994737804750248e-12,
        5.819409395178372e-30, 1.6079477711492987e-49}},
      {1.0,
       {0.84147098480789651, 0.30116867893975679, 0.062035052011373861, 2.8264988022147294e-8,
        4.4511775038068019e-21, 6.2737309600481169e-36}},
      {3.0,
       {0.047040002686622407, 0.34567749976235595, 0.29863749707573355, 0.00014983375626892927,
        5.1572892404290576e-13, 1.4826645230058758e-23}},
      {7.25,
       {0.11352839710503524, -0.062675279473608225, -0.1394629955079076, 0.049770982954271387,
        9.2409228971841188e-7, 9.140305711144559e-14}},
      {20.5,
       {0.048625843623356061, 0.006253141995214445, -0.047710749672836874, -0.014554135610941,
        0.06431806373656032, 0.0012915075357969312}},
      {26.0,
       {0.029329171172292413, -0.023753467352167228, -0.032069955866773247, 0.03044261418195449,
        -0.03359921857898984, 0.03133151484096009}},
      {40.0,
       {0.01862782901198372, 0.017139147266606139, -0.017342392966988259, -0.0015774641078406809,
        -0.026243700559674028, 0.026016192053338063}},
      {123.456,
       {-0.0065119343618197892, 0.0047644669901044715, 0.0066277116506539764, -0.0076312322908693767,
        -0.0046266832731619526, -0.0049365046186369053}},
      {300.0,
       {-0.003332519466337165, 6.2546999374489259e-5, 0.0033331449363309099, -0.003318032960432756,
        -0.0015643266905399707, 0.0013683849579157184}},
  };
  for (const auto& [x, expected] : cases) {
    const std::vector<double> j = bessel(x, 26);
    for (std::size_t i = 0; i < l.size(); ++i) {
      EXPECT_NEAR(j[l[i]], expected[i], 1e-13 * std::abs(expected[i])) << "l " << l[i] << " x " << x;
    }
  }
}

TEST(SphericalBessel, DoesNotDependOnTheLargestL) {
  for (const double x : {0.5, 3.0, 11.9, 30.0}) {
    const std::vector<double> all = bessel(x, 26);
    for (int lmax = 0; lmax < 26; ++lmax) {
      const std::vector<double> j = bessel(x, lmax);
      for (std::size_t l = 0; l < j.size(); ++l)
        EXPECT_NEAR(j[l], all[l], 1e-14 * std::abs(all[l])) << l << " " << x;
    }
  }
}

TEST(SphericalBessel, OfNothingIsOneAndZeros) {
  const std::vector<double> j = bessel(0.0, 8);
  EXPECT_EQ(j[0], 1.0);
  for (std::size_t l = 1; l < j.size(); ++l) EXPECT_EQ(j[l], 0.0);
  EXPECT_EQ(bessel(1e-300, 26)[26], 0.0);  // 1e-7800 is below what doubles hold
  EXPECT_THROW(bessel(-1.0, 3), DimensionError);
  EXPECT_THROW(bessel(std::nan(""), 3), DimensionError);
}

/// sum (2l + 1) j_l^2 = 1: all l, to far beyond x.
TEST(SphericalBessel, SquaresSumToOne) {
  for (const double x : {0.01, 2.0, 9.4, 26.0, 80.0, 300.0}) {
    const std::vector<double> j = bessel(x, 400);
    double sum = 0.0;
    for (std::size_t l = 0; l < j.size(); ++l) sum += static_cast<double>(2 * l + 1) * j[l] * j[l];
    EXPECT_NEAR(sum, 1.0, 1e-12) << x;  // 300 squares, each of a relative error of some 1e-14
  }
}

TEST(BallTransform, IsAccurateForSmallArguments) {
  EXPECT_EQ(ball_transform(0.0), 1.0 / 3.0);
  for (const double x : {1e-9, 1e-5, 0.99e-4, 1.01e-4, 1e-3, 0.02, 0.1}) {
    const double y = x * x;  // of the alternating series the next term is below 1e-17
    const double series =
        1.0 / 3.0 - y / 30.0 + y * y / 840.0 - y * y * y / 45360.0 + y * y * y * y / 3991680.0;
    EXPECT_NEAR(ball_transform(x), series, 1e-15) << x;
  }
  for (const double x : {0.7, 3.0, 40.0}) {
    EXPECT_NEAR(ball_transform(x), (std::sin(x) - x * std::cos(x)) / (x * x * x), 1e-15) << x;
  }
}

TEST(SphericalHarmonics, HaveTheirClosedForms) {
  const Vector3 v = {0.3, -1.1, 0.7};
  const double r = std::hypot(v[0], v[1], v[2]), x = v[0] / r, y = v[1] / r, z = v[2] / r;
  const Complex plus(x, y);
  const auto expect = [&](int l, int m, Complex expected) {
    EXPECT_LT(std::abs(harmonic(v, l, m) - expected), 1e-15) << l << " " << m;
  };
  expect(0, 0, std::sqrt(1.0 / (4 * pi)));
  expect(1, 0, std::sqrt(3.0 / (4 * pi)) * z);
  expect(1, 1, -std::sqrt(3.0 / (8 * pi)) * plus);
  expect(1, -1, std::sqrt(3.0 / (8 * pi)) * std::conj(plus));
  expect(2, 0, std::sqrt(5.0 / (16 * pi)) * (3 * z * z - 1));
  expect(2, 1, -std::sqrt(15.0 / (8 * pi)) * z * plus);
  expect(2, 2, std::sqrt(15.0 / (32 * pi)) * plus * plus);
  expect(3, -2, std::sqrt(105.0 / (32 * pi)) * z * std::conj(plus * plus));
  expect(4, 4, 3.0 / 16 * std::sqrt(35.0 / (2 * pi)) * plus * plus * plus * plus);
}

TEST(SphericalHarmonics, AreThoseOfTheStandardLibrary) {
  const double theta = 0.8, phi = 2.3;
  const Vector3 v = {5 * std::sin(theta) * std::cos(phi), 5 * std::sin(theta) * std::sin(phi),
                     5 * std::cos(theta)};
  const std::vector<Complex> y = harmonics(v, 26);
  for (int l = 0; l <= 26; ++l) {
    for (int m = 0; m <= l; ++m) {
      const double size = std::sph_legendre(static_cast<unsigned>(l), static_cast<unsigned>(m), theta);
      const Complex expected = size * std::polar(1.0, m * phi);
      EXPECT_LT(std::abs(y[static_cast<std::size_t>(function_index(l, m))] - expected), 1e-13)
          << l << " " << m;
      const Complex mirrored = (m % 2 == 0 ? 1.0 : -1.0) * std::conj(expected);
      EXPECT_LT(std::abs(y[static_cast<std::size_t>(function_index(l, -m))] - mirrored), 1e-13)
          << l << " " << -m;
    }
  }
}

/// 4 pi / (2l + 1) sum over m of conj Y_lm(a) Y_lm(b) = P_l(cos).
TEST(SphericalHarmonics, ObeyTheAdditionTheorem) {
  const Vector3 a = {0.2, 0.5, -0.9}, b = {-1.0, 0.1, 1e-9};
  const double cosine = dot(a, b) / (length(a) * length(b));
  const std::vector<Complex> of_a = harmonics(a, 48), of_b = harmonics(b, 48);
  for (int l = 0; l <= 48; ++l) {
    Complex sum = 0.0;
    for (int i = function_index(l, -l); i <= function_index(l, l); ++i) {
      sum += std::conj(of_a[static_cast<std::size_t>(i)]) * of_b[static_cast<std::size_t>(i)];
    }
    EXPECT_LT(std::abs(4 * pi / (2 * l + 1) * sum - std::legendre(static_cast<unsigned>(l), cosine)), 1e-13)
        << l;
  }
}

TEST(SphericalHarmonics, OfNoDirectionAreThoseOfZ) {
  EXPECT_EQ(harmonics({0, 0, 0}, 5), harmonics({0, 0, 3}, 5));
  EXPECT_LT(std::abs(harmonic({0, 0, 0}, 5, 0) - std::sqrt(11 / (4 * pi))), 1e-15);
  EXPECT_EQ(harmonic({0, 0, 0}, 5, 1), 0.0);
  EXPECT_LT(std::abs(harmonic({1e-200, 0, 0}, 2, 2) - harmonic({1, 0, 0}, 2, 2)), 1e-15);
}

TEST(GaussLegendre, IntegratesPowersExactly) {
  for (const int count : {1, 2, 3, 4, 7, 20, 50}) {
    const Quadrature rule = gauss_legendre(count);
    ASSERT_EQ(rule.points.size(), static_cast<std::size_t>(count));
    for (int power = 0; power < 2 * count; ++power) {
      double sum = 0.0;
      for (std::size_t i = 0; i < rule.points.size(); ++i)
        sum += rule.weights[i] * std::pow(rule.points[i], power);
      EXPECT_NEAR(sum, power % 2 == 0 ? 2.0 / (power + 1) : 0.0, 1e-14) << count << " " << power;
    }
  }
  const Quadrature four = gauss_legendre(4);
  EXPECT_NEAR(four.points[0], -std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(6.0 / 5)), 1e-15);
  EXPECT_NEAR(four.points[2], std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(6.0 / 5)), 1e-15);
  EXPECT_NEAR(four.weights[0], (18 - std::sqrt(30.0)) / 36, 1e-15);
  EXPECT_THROW(gauss_legendre(0), DimensionError);
}

TEST(GauntTable, HasKnownElements) {
  const GauntTable gaunt(3, 6);
  const double y00 = 1.0 / std::sqrt(4 * pi);
  for (int l = 0; l <= 3; ++l) {
    for (int m = -l; m <= l; ++m) EXPECT_NEAR(gaunt(l, m, 0, l, m), y00, 1e-15);  // orthonormal
  }
  // c^k of Condon and Shortley, by sqrt((2L + 1)/(4 pi)).
  const double c2 = std::sqrt(5 / (4 * pi)), c1 = std::sqrt(3 / (4 * pi)), c4 = std::sqrt(9 / (4 * pi));
  EXPECT_NEAR(gaunt(1, 0, 2, 1, 0), c2 * 2 / 5, 1e-15);
  EXPECT_NEAR(gaunt(1, 1, 2, 1, 1), -c2 / 5, 1e-15);
  EXPECT_NEAR(gaunt(1, 1, 2, 1, 0), c2 * std::sqrt(3.0) / 5, 1e-15);
  EXPECT_NEAR(gaunt(1, 1, 2, 1, -1), -c2 * std::sqrt(6.0) / 5, 1e-15);
  EXPECT_NEAR(gaunt(0, 0, 1, 1, 0), c1 / std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(gaunt(2, 0, 4, 2, 0), c4 * 6 / 21, 1e-15);
  EXPECT_NEAR(gaunt(2, 2, 4, 2, 2), c4 / 21, 1e-15);
  EXPECT_NEAR(gaunt(2, 2, 4, 2, -2), c4 * std::sqrt(70.0) / 21, 1e-15);
  // Rules of triangle, parity and order.
  EXPECT_EQ(gaunt(0, 0, 2, 1, 0), 0.0);
  EXPECT_EQ(gaunt(1, 0, 1, 1, 0), 0.0);
  EXPECT_EQ(gaunt(3, 3, 2, 1, -1), 0.0);
  EXPECT_EQ(gaunt(1, 0, 4, 1, 0), 0.0);
}

/// Y_LM Y_l'm' = sum over l of gaunt Y_l,M+m', in any direction.
TEST(GauntTable, ExpandsProducts) {
  constexpr int lmax = 10;
  const GauntTable gaunt(lmax, 2 * lmax);
  const std::vector<Complex> y = harmonics({0.4, -0.3, 0.8}, lmax);
  for (int big_l = 0; big_l <= 4; ++big_l) {
    for (int m = -big_l; m <= big_l; ++m) {
      for (int l2 = 0; l2 + big_l <= lmax; ++l2) {
        for (int m2 = -l2; m2 <= l2; ++m2) {
          Complex sum = 0.0;
          for (int l = std::abs(m + m2); l <= l2 + big_l; ++l) {
            sum += gaunt(l, m + m2, big_l, l2, m2) * y[static_cast<std::size_t>(function_index(l, m + m2))];
          }
          const Complex product = y[static_cast<std::size_t>(function_index(big_l, m))] *
                                  y[static_cast<std::size_t>(function_index(l2, m2))];
          EXPECT_LT(std::abs(sum - product), 1e-13) << big_l << m << l2 << m2;
        }
      }
    }
  }
}

/// The sum over m and m' of squares is (2l + 1)(2l' + 1)(2L + 1)/(4 pi) (l L l'; 000)^2, by the orthogonality of 3j symbols.
TEST(GauntTable, ObeysTheSumRuleOfTheLargest) {
  constexpr int lmax = 24, largest = 48;
  const GauntTable gaunt(lmax, largest);
  double sum = 0.0;
  for (int m = -lmax; m <= lmax; ++m) {
    for (int m2 = -lmax; m2 <= lmax; ++m2) sum += std::pow(gaunt(lmax, m, largest, lmax, m2), 2);
  }
  // (l 2l l; 000)^2 = (2l)!^4 / ((4l + 1)! l!^4)
  const double l = lmax;
  const double squared =
      std::exp(4 * std::lgamma(2 * l + 1) - std::lgamma(4 * l + 2) - 4 * std::lgamma(l + 1));
  EXPECT_NEAR(sum, (2 * l + 1) * (2 * l + 1) * (4 * l + 1) / (4 * pi) * squared,
              1e-10);  // lgamma of 1e2 to 1e-13
}

TEST(GauntTable, HoldsNoMoreThanAsked) {
  const GauntTable gaunt(4, 2), all(4, 8);
  for (int m = -4; m <= 4; ++m) {
    EXPECT_NEAR(gaunt(4, m, 2, 2, 0), all(4, m, 2, 2, 0), 1e-15);
    EXPECT_NEAR(gaunt(3, 1, 2, 3, m < 0 ? -1 : 1), all(3, 1, 2, 3, m < 0 ? -1 : 1), 1e-15);
  }
  EXPECT_THROW(GauntTable(-1, 0), DimensionError);
}

}  // namespace test_special_functions
}  // namespace cisolve::lapw
