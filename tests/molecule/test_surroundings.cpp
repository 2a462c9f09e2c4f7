// SPDX-License-Identifier: MIT
#include "cisolve/molecule/surroundings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/angular_momentum.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_surroundings {

using test::TestMolecule;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* water = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692";

Geometry geometry_of(const std::string& atoms, Surroundings around) {
  Geometry geometry = parse_geometry(atoms, LengthUnit::angstrom, "test");
  geometry.surroundings = std::move(around);
  return geometry;
}

Surroundings field(double x, double y, double z) { return {{}, {x, y, z}}; }

/// A positive charge on the axis of water, and a negative one beside it.
Surroundings two_charges() {
  return {parse_point_charges("0 0 3.0 0.4\n1.5 2.5 -1.0 -0.3", LengthUnit::angstrom, "test"), {}};
}

std::string group_of(const std::string& atoms, Surroundings around) {
  return find_symmetry(geometry_of(atoms, std::move(around)), "auto", {}, "test").group.name();
}

double scf_energy(const Geometry& geometry) {
  TestMolecule molecule(geometry);
  return run_scf(molecule.view(), molecule.electrons(0, 1)).energy;
}

/// Everything turned about an axis that is none of the frame's, and moved.
Geometry turned(Geometry geometry) {
  const auto turn = [](const Position& r) {
    const double c = std::cos(0.7), s = std::sin(0.7);
    const Position once = {c * r[0] - s * r[1], s * r[0] + c * r[1], r[2]};
    return Position{once[0], c * once[1] - s * once[2], s * once[1] + c * once[2]};
  };
  const auto move = [&](Position& r) {
    r = turn(r);
    r[0] += 1.0;
    r[2] -= 2.0;
  };
  for (Atom& atom : geometry.atoms) move(atom.position);
  for (PointCharge& other : geometry.surroundings.charges) move(other.position);
  geometry.surroundings.field = turn(geometry.surroundings.field);
  return geometry;
}

TEST(Surroundings, LowerThePointGroupToTheOneTheyLeave) {
  EXPECT_EQ(group_of(water, field(0, 0, 0.01)), "C2v");
  EXPECT_EQ(group_of(water, field(0.005, 0, 0.01)), "Cs");
  EXPECT_EQ(group_of(water, field(0.005, 0.002, 0.01)), "C1");
  EXPECT_EQ(group_of(water, two_charges()), "C1");
  EXPECT_EQ(group_of(water, {{{0.4, {0, 0, 5.0}}}, {}}), "C2v");
  const std::string nitrogen = "N 0 0 0; N 0 0 1.1";
  EXPECT_EQ(group_of(nitrogen, field(0, 0, 0.01)), "C2v");
  EXPECT_EQ(group_of(nitrogen, field(0.01, 0, 0)), "C2v");  // about the field
  // Equal charges at images of each other keep what other charges would not.
  const double middle = 0.55 / 0.529177210903;
  EXPECT_EQ(group_of(nitrogen, {{{0.4, {3, 0, middle}}, {0.4, {-3, 0, middle}}}, {}}), "D2h");
  EXPECT_EQ(group_of(nitrogen, {{{0.4, {3, 0, middle}}, {0.3, {-3, 0, middle}}}, {}}), "C2v");
}

TEST(Surroundings, MoveWithTheFrame) {
  const SymmetryFrame frame =
      find_symmetry(turned(geometry_of(water, {{{0.4, {0, 0, 5.0}}}, {0, 0, 0.01}})), "auto", {}, "test");
  ASSERT_EQ(frame.group.name(), "C2v");
  const Surroundings& around = frame.geometry.surroundings;
  EXPECT_EQ(around.field[0], 0.0);
  EXPECT_EQ(around.field[1], 0.0);
  EXPECT_NEAR(std::abs(around.field[2]), 0.01, 1e-12);
  EXPECT_EQ(around.charges[0].position[0], 0.0);
  const double oxygen = frame.geometry.atoms[0].position[2];
  EXPECT_NEAR(std::abs(around.charges[0].position[2] - oxygen), 5.0 - 0.1173 / 0.529177210903, 1e-8);
  EXPECT_GT(around.field[2] * around.charges[0].position[2], 0.0);
}

TEST(Surroundings, OffTheAxisLeaveNoAngularMomentum) {
  const std::string nitrogen = "N 0 0 0; N 0 0 1.1";
  EXPECT_TRUE(linear_axis(geometry_of(nitrogen, field(0, 0, 0.01))));
  EXPECT_FALSE(linear_axis(geometry_of(nitrogen, field(0.01, 0, 0.01))));
  EXPECT_TRUE(linear_axis(geometry_of(nitrogen, {{{1.0, {0, 0, 9}}}, {}})));
  EXPECT_FALSE(linear_axis(geometry_of(nitrogen, {{{1.0, {1, 0, 9}}}, {}})));
  EXPECT_FALSE(is_free_atom(geometry_of("N 0 0 0", field(0, 0, 0.01))));
}

TEST(Surroundings, ActOnNucleiAsByCoulomb) {
  const Geometry proton = geometry_of("H 0 0 0; H 0 0 1", {{{-0.5, {0, 3, 0}}}, {0, 0, 0.1}});
  const double apart = proton.atoms[1].position[2];
  // The field's part is about the centre of the nuclei, where it vanishes for any molecule.
  EXPECT_NEAR(nuclear_energy(proton), 1.0 / apart - 0.5 / 3.0 - 0.5 / std::hypot(3.0, apart), 1e-14);
}

TEST(Surroundings, RefuseWithTheLine) {
  const auto refused = [](const std::string& text) {
    try {
      parse_point_charges(text, LengthUnit::bohr, "w.charges");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refused("# none\n0 0 1\n"), AllOf(HasSubstr("w.charges:2:"), HasSubstr("found 3 words")));
  EXPECT_THAT(refused("0 0 x 1"), AllOf(HasSubstr("w.charges:1:"), HasSubstr("'x' is no number")));
  EXPECT_THAT(refused("\n# nothing\n"), HasSubstr("no point charges"));
  const Geometry near = geometry_of(water, {{{1.0, {0, 0, 0.2}}}, {}});
  try {
    check_point_charges(near, 0.1, 1e6, "a.inp:3");
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.inp:3: point charge 1 is 0.02"), HasSubstr("atom 1 (O)")));
  }
}

class SurroundedScf : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

/// PySCF 2.14: 6-31G, the core Hamiltonian with the field added, and pyscf.qmmm.
TEST_F(SurroundedScf, AgreesWithPyscf) {
  constexpr double tolerance = 1e-8;
  EXPECT_NEAR(scf_energy(geometry_of(water, {})), -75.98397447272197, tolerance);
  EXPECT_NEAR(scf_energy(geometry_of(water, field(0, 0, 0.01))), -75.97384624057997, tolerance);
  EXPECT_NEAR(scf_energy(geometry_of(water, field(0.005, 0, 0.01))), -75.97386381564941, tolerance);
  EXPECT_NEAR(scf_energy(geometry_of(water, two_charges())), -76.00242086181545, tolerance);
}

TEST_F(SurroundedScf, DoesNotDependOnTheAxes) {
  Surroundings around = two_charges();
  around.field = {0.003, -0.004, 0.005};
  const Geometry geometry = geometry_of(water, around);
  EXPECT_NEAR(scf_energy(turned(geometry)), scf_energy(geometry), 1e-9);
}

}  // namespace test_surroundings
}  // namespace cisolve
