// SPDX-License-Identifier: MIT
#include "cisolve/lapw/crystal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "cisolve/core/error.hpp"

namespace cisolve::lapw {
namespace test_crystal {

using testing::AllOf;
using testing::HasSubstr;

Crystal crystal_of(const Matrix3& lattice, const std::vector<double>& radii,
                   const std::vector<Vector3>& positions) {
  Crystal crystal;
  crystal.lattice.a = lattice;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    crystal.types.emplace_back().radius = radii[i];
    crystal.atoms.push_back({.type = static_cast<int>(i), .position = positions[i]});
  }
  return crystal;
}

const Matrix3 cubic = {{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}};

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Crystal, CountsRowsAndRadii) {
  Crystal crystal = crystal_of(cubic, {1.5, 1.0}, {{0, 0, 0}, {0.5, 0.5, 0.5}});
  crystal.types[0].lmax = 2;
  crystal.types[1].lmax = 0;
  crystal.atoms.push_back({.type = 0, .position = {0.5, 0, 0}});
  EXPECT_EQ(crystal.num_rows(), 9 + 1 + 9);
  EXPECT_EQ(crystal.smallest_radius(), 1.0);
  EXPECT_EQ(crystal.largest_radius(), 1.5);
  EXPECT_EQ(num_functions(-1), 0);
  EXPECT_EQ(function_index(2, -2), 4);
}

TEST(SphereOverlap, SpheresMayTouch) {
  const auto distance = [](double radius) {
    return find_overlap(crystal_of(cubic, {radius, 2.0}, {{0, 0, 0}, {0.75, 0, 0}})).distance;  // 1.5 apart
  };
  EXPECT_LT(distance(-0.5), 0.0);
  EXPECT_LT(distance(-0.5 + 0.5e-10), 0.0);
  EXPECT_DOUBLE_EQ(distance(-0.5 + 1e-9), 1.5);
}

TEST(SphereOverlap, OfAnAtomWithItsImage) {
  const SphereOverlap overlap = find_overlap(crystal_of(cubic, {3.01}, {{0.3, 7.2, -4.1}}));
  EXPECT_EQ(overlap.first, 0);
  EXPECT_EQ(overlap.second, 0);
  EXPECT_DOUBLE_EQ(overlap.distance, 6.0);
  EXPECT_LT(find_overlap(crystal_of(cubic, {3.0}, {{0.3, 7.2, -4.1}})).distance, 0.0);
}

TEST(SphereOverlap, PositionsOutsideTheCellAreLegal) {
  const SphereOverlap overlap =
      find_overlap(crystal_of(cubic, {1.5, 1.5}, {{0.05, 0, 0}, {5.95, -3.0, 2.0}}));
  EXPECT_EQ(overlap.second, 1);
  EXPECT_NEAR(overlap.distance, 0.6, 1e-12);
}

TEST(SphereOverlap, TheWorstIsGiven) {
  const SphereOverlap overlap =
      find_overlap(crystal_of(cubic, {1.2, 1.2, 1.2}, {{0, 0, 0}, {0.39, 0, 0}, {0.68, 0, 0}}));
  EXPECT_EQ(overlap.first, 1);
  EXPECT_EQ(overlap.second, 2);
  EXPECT_NEAR(overlap.distance, 0.29 * 6, 1e-12);
}

/// By all cells that are near, whatever the lattice.
double nearest_image(const Matrix3& lattice, const Vector3& between, bool is_self) {
  double nearest = 1e300;
  constexpr int far = 14;  // the vectors below reach each other's images within so many
  for (int n1 = -far; n1 <= far; ++n1) {
    for (int n2 = -far; n2 <= far; ++n2) {
      for (int n3 = -far; n3 <= far; ++n3) {
        if (is_self && n1 == 0 && n2 == 0 && n3 == 0) continue;
        nearest = std::min(nearest, length(wave_vector(lattice, between, {n1, n2, n3})));
      }
    }
  }
  return nearest;
}

TEST(SphereOverlap, SkewedLatticesHaveTheirNearestImages) {
  const std::vector<Matrix3> lattices = {cubic,
                                         {{{6, 0, 0}, {30, 6, 0}, {-12, 18, 6}}},
                                         {{{0, 3.8, 3.8}, {3.8, 0, 3.8}, {3.8, 3.8, 0}}},
                                         {{{5, 0, 0}, {-2.4, 4.2, 0}, {-2.4, -4.1, 1.5}}},
                                         {{{1, 0, 0}, {0.5, 8, 0}, {3.5, 2, 20}}}};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(-1.0, 1.0);
  for (const Matrix3& lattice : lattices) {
    for (int trial = 0; trial < 10; ++trial) {
      const Vector3 first = {anywhere(random), anywhere(random), anywhere(random)};
      const Vector3 second = {anywhere(random), anywhere(random), anywhere(random)};
      const Vector3 between = {second[0] - first[0], second[1] - first[1], second[2] - first[2]};
      const double distance = nearest_image(lattice, between, false);
      // One sphere is small, so that the pair overlaps more than an atom and its own image.
      const SphereOverlap overlap = find_overlap(crystal_of(lattice, {1e-3, 100.0}, {first, second}));
      const double own = nearest_image(lattice, {0, 0, 0}, true);
      EXPECT_EQ(overlap.second, 1);
      EXPECT_NEAR(overlap.distance, overlap.first == 1 ? own : distance,
                  1e-10);  // of positions up to 100 bohr
      const SphereOverlap pair =
          find_overlap(crystal_of(lattice, {0.5 * distance + 1e-6, 0.5 * distance + 1e-6}, {first, second}));
      EXPECT_GE(pair.distance, 0.0);
      if (0.5 * own > 0.5 * distance + 1e-6) {
        EXPECT_NEAR(pair.distance, distance, 1e-10);
        EXPECT_LT(
            find_overlap(crystal_of(lattice, {0.5 * distance - 1e-6, 0.5 * distance - 1e-6}, {first, second}))
                .distance,
            0.0);
      }
    }
  }
}

TEST(SphereOverlap, HugeSpheresAndFlatCellsEnd) {
  EXPECT_DOUBLE_EQ(find_overlap(crystal_of(cubic, {1e5}, {{0, 0, 0}})).distance, 6.0);
  const Matrix3 flat = {{{1000, 0, 0}, {1e5, 1000, 0}, {1e5, -1e5, 1e-7}}};
  EXPECT_NEAR(find_overlap(crystal_of(flat, {1e5}, {{0, 0, 0}})).distance, 1e-7, 1e-9);
}

TEST(CrystalChecks, AFlatCellIsRefused) {
  EXPECT_NO_THROW(require_volume({cubic}));
  EXPECT_NO_THROW(require_volume({{{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.11}}}}));
  EXPECT_THAT(refusal([] {
                require_volume({{{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.09}}}});
              }),
              AllOf(HasSubstr("volume"), HasSubstr("0.0009"), HasSubstr("0.001")));
  EXPECT_THAT(refusal([] {
                require_volume({{{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}});
              }),
              HasSubstr("is 0 bohr^3"));
}

TEST(CrystalChecks, RotationsAreOrthogonal) {
  const double c = std::cos(0.3), s = std::sin(0.3);
  EXPECT_NO_THROW(require_orthogonal({{{c, s, 0}, {-s, c, 0}, {0, 0, -1}}}));
  EXPECT_NO_THROW(require_orthogonal({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1 + 4e-11}}}));
  EXPECT_THAT(refusal([] {
                require_orthogonal({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1 + 6e-11}}});
              }),
              AllOf(HasSubstr("not orthogonal"), HasSubstr("rows 3 and 3")));
  EXPECT_THAT(refusal([] {
                require_orthogonal({{{1, 0, 0}, {0.5, std::sqrt(0.75), 0}, {0, 0, 1}}});
              }),
              AllOf(HasSubstr("rows 1 and 2"), HasSubstr("0.5")));
}

TEST(CrystalChecks, OverlapsNameAtomsRadiiAndDistance) {
  EXPECT_EQ(refusal([] {
              require_apart(crystal_of(cubic, {2.0, 1.5}, {{0, 0, 0}, {0, 0, 0.55}}));
            }),
            "the spheres of atoms 1 and 2 overlap: radii 2 and 1.5 bohr, distance 2.7 bohr");
  EXPECT_EQ(
      refusal([] {
        require_apart(crystal_of(cubic, {1.0, 3.25}, {{0, 0, 0}, {0.5, 0.5, 0.5}}));
      }),
      "the sphere of atom 2 and that of its own image overlap: radii 3.25 and 3.25 bohr, distance 6 bohr");
  EXPECT_NO_THROW(require_apart(crystal_of(cubic, {1.0, 3.0}, {{0, 0, 0}, {0.5, 0.5, 0.5}})));
}

}  // namespace test_crystal
}  // namespace cisolve::lapw
