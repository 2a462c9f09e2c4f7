// SPDX-License-Identifier: MIT
#include "cisolve/molecule/geometry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cisolve/core/error.hpp"
#include "cisolve/core/units.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry_limits.hpp"

namespace cisolve {
namespace test_geometry {

using testing::AllOf;
using testing::HasSubstr;

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

std::string refused(const std::string& text) {
  return refusal([&] { parse_geometry(text, LengthUnit::bohr, "a.inp:2"); });
}

TEST(Geometry, TakesLinesLabelsAndComments) {
  const Geometry geometry = parse_geometry(
      "\n o1  0, 0, 0.5  # oxygen\n\tHE_a 1e0 -2.5d-1 3\r\nCl 0 0 -2 ; h 0 0 4", LengthUnit::bohr, "a");
  ASSERT_EQ(geometry.atoms.size(), 4U);
  EXPECT_EQ(geometry.atoms[0].charge, 8);
  EXPECT_EQ(geometry.atoms[0].label, "o1");
  EXPECT_EQ(geometry.atoms[1].charge, 2);
  EXPECT_EQ(geometry.atoms[1].position, (Position{1.0, -0.25, 3.0}));
  EXPECT_EQ(geometry.atoms[2].charge, 17);
  EXPECT_EQ(total_charge(geometry), 28);
}

TEST(Geometry, ConvertsAngstrom) {
  const Geometry geometry = parse_geometry("H 0 0 0; H 0 0 0.74", LengthUnit::angstrom, "a");
  EXPECT_NEAR(nuclear_energy(geometry), units::bohr_in_angstrom / 0.74, 1e-15);
}

TEST(Geometry, RefusesWithTheLine) {
  EXPECT_THAT(refused("H 0 0 0\nXx 0 0 1"), AllOf(HasSubstr("a.inp:2, line 2"), HasSubstr("'Xx'")));
  EXPECT_THAT(refused("Hel 0 0 0"), HasSubstr("no element"));
  EXPECT_THAT(refused("H 0 0"), HasSubstr("found 3 words"));
  EXPECT_THAT(refused("H 0 0 1.2.3"), HasSubstr("'1.2.3'"));
  EXPECT_THAT(refused("H 0 0 nan"), HasSubstr("'nan'"));
  EXPECT_THAT(refused(" # nothing\n"), HasSubstr("no atoms"));
}

TEST(Geometry, WhatOtherProgramsReadGetsASentence) {
  for (const char* matrix : {"O\nH 1 0.96\nH 1 0.96 2 104.5", "H 0 0 0\nH 1 0.74", "H 0 0 0\nH O1 0.74"})
    EXPECT_THAT(refused(matrix), HasSubstr("looks like a Z-matrix")) << matrix;
  EXPECT_THAT(refused("H 0 0"), testing::Not(HasSubstr("Z-matrix")));
  for (const char* ghost : {"Gh 0 0 0", "@ 0 0 0", "He@ 0 0 0", "Bq1 0 0 0", "X 0 0 0", "Gh(Q) 0 0 0"})
    EXPECT_THAT(refused(ghost), AllOf(HasSubstr("no element"), HasSubstr("as in Gh(O), and a dummy")))
        << ghost;
  EXPECT_THAT(refused("D 0 0 0"), HasSubstr("write H for deuterium"));
  EXPECT_THAT(refused("O 0 0 0 -0.8"),
              AllOf(HasSubstr("found 5 words"), HasSubstr("leave the other columns out")));
}

TEST(Geometry, WhatNoMoleculeIsIsRefused) {
  const auto refused_geometry = [](const std::string& text) {
    return refusal([&] { check_limits(parse_geometry(text, LengthUnit::bohr, "a"), {}, "a.inp:2"); });
  };
  EXPECT_EQ(refused_geometry("H 0 0 0; H 0 -1e6 0.1"), "not refused");
  // Both hydrogen atoms fell onto one place about the centre of charge, and their orbitals were counted twice.
  EXPECT_THAT(
      refused_geometry("O 0 99999999999999999999999999999999 0; H 0 0.757 0.586; H 0 -0.757 0.586"),
      AllOf(HasSubstr("a.inp:2: atom 1 (O) has the coordinate 1e+32 bohr"), HasSubstr("at most 1e+06")));
  EXPECT_THAT(refused_geometry("H 0 0 0; H1 0 0 -1.1e6"),
              HasSubstr("atom 2 (H1) has the coordinate -1.1e+06"));
  std::string row;
  for (int k = 0; k < 1001; ++k) row += "H 0 0 " + std::to_string(k) + "\n";
  EXPECT_THAT(refused_geometry(row), HasSubstr("found 1001 atoms; expected at most 1000"));
  Geometry not_a_number = parse_geometry("H 0 0 0; H 0 0 1", LengthUnit::bohr, "a");
  not_a_number.atoms[1].position[0] = std::nan("");
  EXPECT_THROW(check_limits(not_a_number, {}, "a"), InputError);
}

TEST(Geometry, AFileWithoutEndIsRefused) {
  EXPECT_THAT(refusal([] { read_xyz("/dev/zero", LengthUnit::bohr); }),
              AllOf(HasSubstr("/dev/zero: found more than"), HasSubstr("an .xyz file is expected")));
  EXPECT_THAT(refusal([] { read_basis_set("/dev/zero", CISOLVE_BASIS_SETS); }), HasSubstr("a basis set"));
}

TEST(Geometry, ElementsAreInOrder) {
  EXPECT_EQ(element_symbol(1), "H");
  EXPECT_EQ(element_symbol(18), "Ar");
  EXPECT_EQ(element_symbol(54), "Xe");
  EXPECT_EQ(element_symbol(118), "Og");
  for (int charge = 1; charge <= 118; ++charge) EXPECT_EQ(element_charge(element_symbol(charge)), charge);
}

}  // namespace test_geometry
}  // namespace cisolve
