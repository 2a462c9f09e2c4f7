// SPDX-License-Identifier: MIT
#include "cisolve/molecule/internal_coordinate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_internal_coordinate {

constexpr double rounding = 1e-12;  // a few operations on numbers of order 1

/// A chain of four atoms with right angles, and a fifth on the last.
Geometry chain() {
  return parse_geometry("H 1 0 0; C 0 0 0; C 0 0 2; H 1 0 2; H 1 1 2", LengthUnit::bohr, "test");
}

double distance(const Geometry& geometry, std::size_t a, std::size_t b) {
  const Position &x = geometry.atoms[a].position, &y = geometry.atoms[b].position;
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

TEST(InternalCoordinate, BondMovesTheLastAtomAlongItself) {
  Geometry geometry = chain();
  const auto bond = parse_internal_coordinate("bond 3 4", geometry, "test");
  EXPECT_NEAR(value_of(bond, geometry), 1.0, rounding);
  set_value(bond, 2.5, geometry, "test");
  EXPECT_EQ(geometry.atoms[3].position, (Position{2.5, 0.0, 2.0}));
  EXPECT_EQ(geometry.atoms[4].position, chain().atoms[4].position);
}

TEST(InternalCoordinate, FragmentMovesAsOneBody) {
  Geometry geometry = chain();
  set_value(parse_internal_coordinate("bond 2 3 moving 3 4 5", geometry, "test"), 3.0, geometry, "test");
  EXPECT_EQ(geometry.atoms[2].position, (Position{0.0, 0.0, 3.0}));
  EXPECT_EQ(geometry.atoms[4].position, (Position{1.0, 1.0, 3.0}));
  EXPECT_EQ(geometry.atoms[1].position, chain().atoms[1].position);
  const auto turned = parse_internal_coordinate("dihedral 1 2 3 4 moving 4 5", geometry, "test");
  const double within = distance(geometry, 3, 4);
  set_value(turned, 70.0, geometry, "test");
  EXPECT_NEAR(distance(geometry, 3, 4), within, rounding);
}

TEST(InternalCoordinate, AngleIsAtTheSecondAtom) {
  Geometry geometry = chain();
  const auto angle = parse_internal_coordinate("Angle 2, 3, 4", geometry, "test");
  EXPECT_NEAR(value_of(angle, geometry), 90.0, rounding);
  for (const double value : {35.0, 120.0, 180.0}) {
    Geometry point = geometry;
    set_value(angle, value, point, "test");
    EXPECT_NEAR(value_of(angle, point), value, 1e-6);  // the arc of a half turn has half the digits
    EXPECT_NEAR(distance(point, 2, 3), 1.0, rounding);
    EXPECT_NEAR(point.atoms[3].position[1], 0.0, rounding);  // it stays in its plane
  }
}

TEST(InternalCoordinate, AStraightAngleBendsAnyWay) {
  Geometry geometry = parse_geometry("O 0 0 -1; C 0 0 0; O 0 0 1", LengthUnit::bohr, "test");
  const auto angle = parse_internal_coordinate("angle 1 2 3", geometry, "test");
  set_value(angle, 150.0, geometry, "test");
  EXPECT_NEAR(value_of(angle, geometry), 150.0, rounding);
  EXPECT_NEAR(distance(geometry, 1, 2), 1.0, rounding);
}

TEST(InternalCoordinate, DihedralIsPositiveClockwise) {
  Geometry geometry = chain();
  const auto dihedral = parse_internal_coordinate("dihedral 1 2 3 4", geometry, "test");
  EXPECT_NEAR(value_of(dihedral, geometry), 0.0, rounding);
  // Seen from atom 2 to atom 3, along +z, x turns clockwise to y.
  set_value(dihedral, 90.0, geometry, "test");
  EXPECT_NEAR(geometry.atoms[3].position[1], 1.0, rounding);
  EXPECT_NEAR(value_of(dihedral, geometry), 90.0, rounding);
  set_value(dihedral, -120.0, geometry, "test");
  EXPECT_NEAR(value_of(dihedral, geometry), -120.0, rounding);
}

std::string refusal(const std::string& text, double value = 1.0) {
  Geometry geometry = chain();
  try {
    set_value(parse_internal_coordinate(text, geometry, "job.inp:3"), value, geometry, "job.inp:3");
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << text << " was not refused";
  return {};
}

TEST(InternalCoordinate, RefusesWhatIsNone) {
  using testing::AllOf;
  using testing::HasSubstr;
  EXPECT_THAT(refusal("bnd 1 2"), AllOf(HasSubstr("job.inp:3: \"bnd 1 2\""), HasSubstr("angle 2 1 3")));
  EXPECT_THAT(refusal("bond 1"), HasSubstr("no coordinate"));
  EXPECT_THAT(refusal("bond 1 2 3"), HasSubstr("no coordinate"));
  EXPECT_THAT(refusal("bond 1 6"), HasSubstr("'6' is no atom; the atoms are 1 to 5"));
  EXPECT_THAT(refusal("bond 1 0.5"), HasSubstr("'0.5' is no atom"));
  EXPECT_THAT(refusal("bond 2 2"), HasSubstr("atom 2 twice"));
  EXPECT_THAT(refusal("bond 1 2 moving 3"), HasSubstr("its last atom, 2"));
  EXPECT_THAT(refusal("bond 1 2 moving 1 2"), HasSubstr("atom 1 must stay"));
  EXPECT_THAT(refusal("bond 1 2", 0.0), HasSubstr("above 0"));
  EXPECT_THAT(refusal("angle 1 2 3", 181.0), HasSubstr("from 0 to 180"));
  Geometry line = parse_geometry("H 0 0 0; C 0 0 1; C 0 0 2; H 0 1 3", LengthUnit::bohr, "test");
  EXPECT_THROW(set_value(parse_internal_coordinate("dihedral 1 2 3 4", line, "test"), 10.0, line, "test"),
               InputError);
}

}  // namespace test_internal_coordinate
}  // namespace cisolve
