// SPDX-License-Identifier: MIT
// One point group and one meaning of its axes along a path of geometries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/internal_coordinate.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve {
namespace test_common_symmetry {

/// A molecule whose coordinate takes values; bohr or degrees.
std::vector<Geometry> path(const std::string& atoms, const std::string& coordinate,
                           const std::vector<double>& values) {
  std::vector<Geometry> geometries;
  for (const double value : values) {
    Geometry geometry = parse_geometry(atoms, LengthUnit::bohr, "test");
    set_value(parse_internal_coordinate(coordinate, geometry, "test"), value, geometry, "test");
    geometries.push_back(std::move(geometry));
  }
  return geometries;
}

std::vector<SymmetryFrame> frames_of(const std::vector<Geometry>& geometries,
                                     const std::string& wanted = "auto") {
  std::vector<std::string> where;
  for (std::size_t k = 0; k < geometries.size(); ++k) where.push_back("point " + std::to_string(k + 1));
  return find_common_symmetry(geometries, wanted, {}, where);
}

/// Largest step of an atom from one frame to the next, bohr.
double largest_step(const std::vector<SymmetryFrame>& frames) {
  double largest = 0.0;
  for (std::size_t k = 1; k < frames.size(); ++k) {
    for (std::size_t a = 0; a < frames[k].geometry.atoms.size(); ++a) {
      const Position &x = frames[k].geometry.atoms[a].position, &y = frames[k - 1].geometry.atoms[a].position;
      largest = std::max(largest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
  }
  return largest;
}

const std::string water = "O 0 0 0; H 0 1.43 1.1; H 0 -1.43 1.1";

TEST(CommonSymmetry, IsWhatAllPointsHave) {
  // One bond of water: C2v where it is as long as the other, in the midst of Cs.
  const double equal = std::hypot(1.43, 1.1);
  const auto frames = frames_of(path(water, "bond 1 2", {1.6, equal, 2.0, 2.4}));
  ASSERT_EQ(frames.size(), 4U);
  for (const SymmetryFrame& frame : frames) {
    EXPECT_EQ(frame.group.name(), "Cs");
    EXPECT_EQ(frame.operations, frames.front().operations);  // the same mirror, that of the molecule's plane
    EXPECT_EQ(frame.images[1], (std::vector<int>{0, 1, 2}));
  }
  EXPECT_EQ(frames[1].largest_group, "C2v");
  EXPECT_EQ(frames[0].largest_group, "Cs");
  EXPECT_LT(largest_step(frames), 0.5);
}

TEST(CommonSymmetry, KeepsTheNamesOfAxes) {
  // A rectangle of four hydrogen atoms, given askew, through the square: the longer side changes.
  const double c = std::cos(0.3), s = std::sin(0.3);
  std::vector<Geometry> geometries;
  for (const double height : {1.6, 1.9, 2.0, 2.1, 2.4}) {
    Geometry geometry;
    for (const auto& [x, y] : {std::pair(1.0, 0.5), {-1.0, 0.5}, {-1.0, -0.5}, {1.0, -0.5}}) {
      const double v = y * height;
      geometry.atoms.push_back({1, "H", {c * x - s * v, s * x + c * v, 0.0}});
    }
    geometries.push_back(geometry);
  }
  const auto frames = frames_of(geometries);
  for (const SymmetryFrame& frame : frames) EXPECT_EQ(frame.group.name(), "D2h");
  EXPECT_LT(largest_step(frames), 0.2);
  // Each by itself has its axes named by the longer side, so the path is not trivial.
  std::vector<SymmetryFrame> alone;
  for (const Geometry& geometry : geometries) alone.push_back(find_symmetry(geometry, "auto", {}, "test"));
  EXPECT_GT(largest_step(alone), 0.5);
}

TEST(CommonSymmetry, FollowsAnAxisThatTurns) {
  // Bending by one atom turns the axis of C2v from point to point; in the frame nothing jumps.
  std::vector<double> angles;
  for (double angle = 60.0; angle < 175.0; angle += 10.0) angles.push_back(angle);
  const auto frames = frames_of(path(water, "angle 2 1 3", {angles}));
  // The bonds differ by rounding alone.
  for (const SymmetryFrame& frame : frames) EXPECT_EQ(frame.group.name(), "C2v");
  EXPECT_LT(largest_step(frames), 0.4);
}

TEST(CommonSymmetry, OnePointIsFoundAsByItself) {
  const Geometry geometry = parse_geometry(water, LengthUnit::bohr, "test");
  const auto frames = frames_of({geometry});
  const SymmetryFrame alone = find_symmetry(geometry, "auto", {}, "test");
  EXPECT_EQ(frames.front().group.name(), alone.group.name());
  EXPECT_EQ(frames.front().axes, alone.axes);
}

TEST(CommonSymmetry, AGroupThatOnePointLacksIsRefused) {
  try {
    frames_of(path(water, "bond 1 2", {std::hypot(1.43, 1.1), 2.0}), "C2v");
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("point 2: the geometry does not have the symmetry C2v"));
  }
  EXPECT_EQ(frames_of(path(water, "bond 1 2", {1.8, 2.0}), "c1").front().group.name(), "C1");
}

}  // namespace test_common_symmetry
}  // namespace cisolve
