// SPDX-License-Identifier: MIT
#include "cisolve/lapw/lattice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace cisolve::lapw {
namespace test_lattice {

using testing::ElementsAre;

constexpr double pi = std::numbers::pi;

const Lattice cubic = {{{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}}};
const Lattice fcc = {{{{0, 3.8, 3.8}, {3.8, 0, 3.8}, {3.8, 3.8, 0}}}};
const Lattice triclinic = {{{{3, 0.5, -0.25}, {-1, 4, 0.75}, {0.5, 0.25, 5}}}};

/// The lattice of `cubic` by long vectors that hardly span a volume by sight: a1, a2 + 7 a1, a3 - 5 a1 + 9 a2.
const Lattice skewed = {{{{6, 0, 0}, {42, 6, 0}, {-30, 54, 6}}}};

TEST(Lattice, VectorsAndMatrices) {
  EXPECT_EQ(dot({1, 2, 3}, {4, 5, 6}), 32.0);
  EXPECT_EQ(length({2, 3, 6}), 7.0);
  const Matrix3 m = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
  EXPECT_THAT(rotate(m, {1, 0, 2}), ElementsAre(7, 16, 27));
  EXPECT_THAT(combine_rows(m, {1, 0, 2}), ElementsAre(15, 18, 23));
  EXPECT_EQ(determinant(m), -3.0);
  EXPECT_EQ(fcc.volume(), 2 * 3.8 * 3.8 * 3.8);
}

TEST(Lattice, ReciprocalVectorsAreDual) {
  for (const Lattice& lattice : {cubic, fcc, triclinic, skewed}) {
    const Matrix3 b = lattice.reciprocal();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)  // rounding of sums of three products of lengths |a| |b|
        EXPECT_NEAR(dot(lattice.a[i], b[j]), i == j ? 2 * pi : 0.0,
                    1e-14 * length(lattice.a[i]) * length(b[j]));
    }
  }
}

TEST(PlaneWaves, AreOrderedByLengthThenByIndex) {
  // At Gamma of a cubic lattice |G| is 2 pi/6 times sqrt(n), n = 0 (once), 1 (6 times), 2 (12 times).
  const auto waves = plane_waves(cubic, {0, 0, 0}, 2 * pi / 6 * 1.5);
  ASSERT_EQ(waves.size(), 19U);
  EXPECT_EQ(waves[0], (Index3{0, 0, 0}));
  EXPECT_EQ(std::vector(waves.begin() + 1, waves.begin() + 7),
            (std::vector<Index3>{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}));
  EXPECT_EQ(waves[7], (Index3{-1, -1, 0}));
  EXPECT_EQ(waves[18], (Index3{1, 1, 0}));
}

TEST(PlaneWaves, TheCutoffItselfCounts) {
  const double shell = 2 * pi / 6;
  EXPECT_EQ(plane_waves(cubic, {0, 0, 0}, shell).size(), 7U);
  EXPECT_EQ(plane_waves(cubic, {0, 0, 0}, shell * (1 - 1e-9)).size(), 1U);
  EXPECT_TRUE(plane_waves(cubic, {0.5, 0.5, 0.5}, shell * 0.8).empty());
  EXPECT_EQ(plane_waves(cubic, {0.5, 0.5, 0.5}, shell * 0.87).size(), 8U);  // sqrt(3)/2 = 0.866
}

// Numbers of the reference calculations, by another program.
TEST(PlaneWaves, AreAsManyAsElsewhere) {
  EXPECT_EQ(plane_waves(fcc, {0.1, 0.2, 0.3}, 3.0).size(), 52U);
  EXPECT_EQ(plane_waves(fcc, {0, 0, 0}, 3.0).size(), 59U);
  EXPECT_EQ(plane_waves(fcc, {0.5, 0.5, 0}, 3.0).size(), 48U);
  EXPECT_EQ(plane_waves(cubic, {0.1, 0.23, 0.37}, 3.2).size(), 119U);
  EXPECT_EQ(plane_waves(cubic, {0, 0, 0}, 3.2).size(), 123U);
}

TEST(PlaneWaves, NoneIsMissedOrGivenTwice) {
  for (const Lattice& lattice : {cubic, fcc, triclinic, skewed}) {
    for (const Vector3& k : {Vector3{0, 0, 0}, Vector3{0.5, -0.5, 0.25}, Vector3{3.3, -7.1, 0.4}}) {
      const double k_max = 3.0;
      const Matrix3 b = lattice.reciprocal();
      const auto waves = plane_waves(lattice, k, k_max);
      const std::set<Index3> found(waves.begin(), waves.end());
      EXPECT_EQ(found.size(), waves.size());
      // (k + G)_i = kappa.a_i / 2 pi
      std::size_t expected = 0;
      std::array<int, 3> most{};
      for (std::size_t i = 0; i < 3; ++i)
        most[i] = static_cast<int>(k_max * length(lattice.a[i]) / (2 * pi) + std::abs(k[i])) + 1;
      for (int g1 = -most[0]; g1 <= most[0]; ++g1) {
        for (int g2 = -most[1]; g2 <= most[1]; ++g2) {
          for (int g3 = -most[2]; g3 <= most[2]; ++g3) {
            if (length(wave_vector(b, k, {g1, g2, g3})) > k_max) continue;
            ++expected;
            EXPECT_TRUE(found.contains({g1, g2, g3})) << g1 << " " << g2 << " " << g3;
          }
        }
      }
      EXPECT_EQ(waves.size(), expected);
    }
  }
}

TEST(PlaneWaves, AreExpectedByTheVolumeOfTheirSphere) {
  // Lattice points in a sphere differ from its volume by about its surface: N^(2/3).
  const double expected = expected_plane_waves(cubic, 8.0);
  const auto found = static_cast<double>(plane_waves(cubic, {0.1, 0.2, 0.3}, 8.0).size());
  EXPECT_NEAR(found, expected, std::pow(expected, 2.0 / 3.0));
  EXPECT_DOUBLE_EQ(expected, 216.0 * 512.0 / (6 * pi * pi));
}

}  // namespace test_lattice
}  // namespace cisolve::lapw
