// SPDX-License-Identifier: MIT
#include "cisolve/molecule/symmetry.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_symmetry {

SymmetryFrame frame_of(const std::string& geometry, const std::string& wanted = "auto") {
  return find_symmetry(parse_geometry(geometry, LengthUnit::angstrom, "test"), wanted, {}, "test");
}

/// Every operation carries every atom onto its image, to the last bit.
void expect_exact(const SymmetryFrame& frame) {
  for (std::size_t o = 0; o < frame.operations.size(); ++o) {
    for (std::size_t a = 0; a < frame.geometry.atoms.size(); ++a) {
      const Atom& from = frame.geometry.atoms[a];
      const Atom& to = frame.geometry.atoms[frame.images[o][a]];
      EXPECT_EQ(from.charge, to.charge);
      for (std::size_t k = 0; k < 3; ++k) {
        const double sign = (frame.operations[o] >> k & 1) != 0 ? -1.0 : 1.0;
        EXPECT_EQ(sign * from.position[k], to.position[k]);
      }
    }
  }
}

TEST(Symmetry, KeepsAxesThatAreSymmetryAxes) {
  const SymmetryFrame water = frame_of(test::water);
  EXPECT_EQ(water.group.name(), "C2v");
  EXPECT_FALSE(water.reoriented);
  expect_exact(water);
  // In the xz plane, too: then B2 is out of the plane.
  const SymmetryFrame other = frame_of("O 0 0 0; H 0.757 0 0.587; H -0.757 0 0.587");
  EXPECT_EQ(other.group.name(), "C2v");
  EXPECT_FALSE(other.reoriented);
  const SymmetryFrame nitrogen = frame_of("N 0.55 0 0; N -0.55 0 0");
  EXPECT_EQ(nitrogen.group.name(), "D2h");
  EXPECT_FALSE(nitrogen.reoriented);
}

TEST(Symmetry, TurnsWhatLiesElsewhere) {
  // The rotation about x: z is the axis afterwards, and the molecule lies in yz.
  for (const char* geometry : {"O 0 0 0; H 0.587 0.757 0; H 0.587 -0.757 0",
                               "O 1 2 3; H 1.5352 2.5352 3.5870; H 0.4648 1.4648 3.5870"}) {
    const SymmetryFrame frame = frame_of(geometry);
    EXPECT_EQ(frame.group.name(), "C2v");
    expect_exact(frame);
    EXPECT_TRUE(frame.reoriented);
    for (const Atom& atom : frame.geometry.atoms) EXPECT_EQ(atom.position[0], 0.0);
    EXPECT_EQ(frame.geometry.atoms[0].position[1], 0.0);
    EXPECT_LT(frame.displacement, 1e-4);
  }
  const SymmetryFrame hydride = frame_of("H 0.6 0.1 0.2; Cl -0.5 -0.3 0.9");
  EXPECT_EQ(hydride.group.name(), "C2v");
  EXPECT_NE(hydride.geometry.atoms[0].position[2], 0.0);
  expect_exact(hydride);
}

struct GroupCase {
  const char* geometry;
  const char* group;
};

TEST(Symmetry, FindsEveryGroup) {
  for (const GroupCase& c : {
           GroupCase{"He 0.3 0.1 0", "D2h"},
           GroupCase{"C 0 0 0.667; C 0 0 -0.667; H 0 0.923 1.238; H 0 -0.923 1.238; H 0 0.923 -1.238; H 0 "
                     "-0.923 -1.238",
                     "D2h"},
           GroupCase{"N 0.6 0.1 0; N -0.6 -0.1 0; H 1.0 -0.8 0; H -1.0 0.8 0", "C2h"},
           GroupCase{"O 0 0.7 0; O 0 -0.7 0; H 0.8 0.9 0.5; H -0.8 -0.9 0.5", "C2"},
           GroupCase{"O 0 0 0; H 0.1 0.7 0.5; F 0.2 -0.7 0.6", "Cs"},
           GroupCase{"O 0 0 0; H 0.1 0.7 0.5; F 0.2 -0.7 0.6; Cl 1 1 -0.5", "C1"},
           GroupCase{"C 0 0 0; F 1 0.2 0.1; H 0.3 1.1 -0.2; Cl 0.1 -0.4 1.3; C 3 0 0; F 2 -0.2 -0.1; H 2.7 "
                     "-1.1 0.2; Cl 2.9 0.4 -1.3",
                     "Ci"},
           GroupCase{"C 0 0 0; H 0.629 0.629 0.629; H -0.629 -0.629 0.629; H -0.629 0.629 -0.629; H 0.629 "
                     "-0.629 -0.629",
                     "D2"},
       }) {
    const SymmetryFrame frame = frame_of(c.geometry);
    EXPECT_EQ(frame.group.name(), c.group) << c.geometry;
    expect_exact(frame);
  }
}

TEST(Symmetry, TakesASubgroupThatIsAskedFor) {
  for (const char* group : {"D2h", "D2", "C2v", "C2h", "Cs", "C2", "Ci", "C1"}) {
    const SymmetryFrame frame = frame_of("N 0 0 0.55; N 0 0 -0.55", group);
    EXPECT_EQ(frame.group.name(), group);
    EXPECT_EQ(frame.largest_group, "D2h");
    expect_exact(frame);
  }
  EXPECT_THROW(frame_of(test::water, "D2h"), InputError);
  EXPECT_THROW(frame_of(test::water, "C3v"), InputError);
}

TEST(Symmetry, MovesAtomsOntoTheirPlaces) {
  const SymmetryFrame frame = frame_of("O 0 0 0; H 0 0.75720 0.58652; H 0 -0.75721 0.58652");
  EXPECT_EQ(frame.group.name(), "C2v");
  EXPECT_NEAR(frame.displacement, 0.5e-5 / 0.529177, 3e-6);
  expect_exact(frame);
  EXPECT_EQ(frame_of("O 0 0 0; H 0 0.757 0.58652; H 0 -0.758 0.58652").group.name(), "Cs");
}

/// x, y, z and their products, by the character tables (Molpro's order).
TEST(Symmetry, AnExactAxisGoesBeforeAnotherThatIsNearlyOne) {
  // H3+ off equilateral by 4e-5 angstrom, with the mirror through each atom in turn the exact one.
  for (const char* geometry :
       {"H 0 0 0; H 0.87 0 0; H 0.435 0.7534 0", "H 0.435 0.7534 0; H 0 0 0; H 0.87 0 0",
        "H 0.87 0 0; H 0.435 0.7534 0; H 0 0 0"}) {
    const SymmetryFrame frame = frame_of(geometry);
    EXPECT_EQ(frame.group.name(), "C2v");
    EXPECT_LT(frame.displacement, 1e-12);
  }
}

TEST(Symmetry, IrrepsAreThoseOfTheCharacterTables) {
  struct Case {
    const char* group;
    const char* of_x;
    const char* of_y;
    const char* of_z;
    const char* of_xy;
  };
  for (const Case& c :
       {Case{"D2h", "B3u", "B2u", "B1u", "B1g"}, Case{"C2v", "B1", "B2", "A1", "A2"},
        Case{"C2h", "Bu", "Bu", "Au", "Ag"}, Case{"D2", "B3", "B2", "B1", "B1"},
        Case{"C2", "B", "B", "A", "A"}, Case{"Ci", "Au", "Au", "Au", "Ag"}, Case{"C1", "A", "A", "A", "A"}}) {
    const SymmetryFrame frame = frame_of("N 0 0 0.55; N 0 0 -0.55", c.group);
    const auto name = [&](int parity) { return frame.group.irrep_name(irrep_of_parity(frame, parity) + 1); };
    EXPECT_EQ(name(1), c.of_x) << c.group;
    EXPECT_EQ(name(2), c.of_y) << c.group;
    EXPECT_EQ(name(4), c.of_z) << c.group;
    EXPECT_EQ(name(3), c.of_xy) << c.group;
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        EXPECT_EQ(irrep_of_parity(frame, a) ^ irrep_of_parity(frame, b), irrep_of_parity(frame, a ^ b));
      }
    }
  }
}

TEST(Symmetry, OrbitalsChangeAsTheirIrrepSays) {
  for (const char* basis : {"6-31g(d)", "cc-pvtz"}) {
    const BasisSet set = read_basis_set(basis, CISOLVE_BASIS_SETS);
    const SymmetryFrame frame = frame_of("O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587");
    const GaussianBasis functions = make_basis(frame.geometry, set, *set.functions, "test");
    const SymmetryOrbitals orbitals = make_symmetry_orbitals(functions, frame);
    const auto images = function_images(functions, frame);
    ASSERT_EQ(std::ssize(orbitals.irreps), functions.num_functions);
    for (std::size_t o = 0; o < images.size(); ++o) {
      for (int k = 0; k < functions.num_functions; ++k) {
        int parity = 0;
        while (irrep_of_parity(frame, parity) != orbitals.irreps[k]) ++parity;
        const double character =
            std::popcount(static_cast<unsigned>(parity & frame.operations[o])) % 2 == 0 ? 1.0 : -1.0;
        for (int f = 0; f < functions.num_functions; ++f) {
          const std::size_t from = f;
          EXPECT_EQ(images[o].sign[from] * orbitals.vectors(f, k),
                    character * orbitals.vectors(images[o].image[from], k));
        }
      }
    }
  }
}

}  // namespace test_symmetry
}  // namespace cisolve
