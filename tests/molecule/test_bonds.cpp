// SPDX-License-Identifier: MIT
#include "cisolve/molecule/bonds.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/units.hpp"

namespace cisolve {
namespace test_bonds {

using testing::ElementsAre;
using testing::IsEmpty;

Geometry angstrom(const char* text) { return parse_geometry(text, LengthUnit::angstrom, "test"); }

/// "0-1 0.97", atoms and distance in angstrom, of each pair.
std::vector<std::string> texts(const std::vector<AtomPair>& pairs) {
  std::vector<std::string> out;
  for (const AtomPair& pair : pairs) {
    out.push_back(
        fmt::format("{}-{} {:.2f}", pair.first, pair.second, pair.distance * units::bohr_in_angstrom));
  }
  return out;
}

TEST(Bonds, AreFoundByCovalentRadii) {
  EXPECT_THAT(texts(find_bonds(angstrom("O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59"))),
              ElementsAre("0-1 0.96", "0-2 0.96"));
  // Two helium atoms at their van der Waals distance are not bonded, nor is an ion far away.
  EXPECT_THAT(find_bonds(angstrom("He 0 0 0; He 0 0 2.97")), IsEmpty());
  EXPECT_THAT(texts(find_bonds(angstrom("Li 0 0 0; F 0 0 1.56; H 0 0 5"))), ElementsAre("0-1 1.56"));
  // Beyond the table nobody knows.
  EXPECT_THAT(find_bonds(angstrom("U 0 0 0; F 0 0 1.99")), IsEmpty());
}

TEST(Bonds, RadiiAreThoseOfCordero) {
  EXPECT_NEAR(covalent_radius(1) * units::bohr_in_angstrom, 0.31, 1e-12);
  EXPECT_NEAR(covalent_radius(8) * units::bohr_in_angstrom, 0.66, 1e-12);
  EXPECT_NEAR(covalent_radius(36) * units::bohr_in_angstrom, 1.16, 1e-12);
  EXPECT_NEAR(covalent_radius(54) * units::bohr_in_angstrom, 1.40, 1e-12);
  EXPECT_EQ(covalent_radius(55), 0.0);
  EXPECT_EQ(covalent_radius(0), 0.0);
}

TEST(OddDistances, AreTooShortOrTooLongForABond) {
  EXPECT_THAT(texts(find_odd_distances(angstrom("O 0 0 0; H 0 0 0.5; H 0 0.93 -0.24"))),
              ElementsAre("0-1 0.50"));
  EXPECT_THAT(texts(find_odd_distances(angstrom("O 0 0 0; H 0 0 1.9; H 0 0.93 -0.24"))),
              ElementsAre("0-1 1.90"));
}

TEST(OddDistances, AreNotThoseOfMoleculesThatThereAre) {
  for (const char* molecule :
       {"H 0 0 0; H 0 0 0.741", "H 0 0 0; H 0 0 1.057", "N 0 0 0; N 0 0 1.098", "C 0 0 0; O 0 0 1.128",
        "Li 0 0 0; Li 0 0 2.673", "F 0 0 0; F 0 0 1.412", "Mg 0 0 0; Mg 0 0 3.89", "Cr 0 0 0; Cr 0 0 1.68",
        "He 0 0 0; He 0 0 2.97", "Ar 0 0 0; H 0 0 3.2; F 0 0 4.1", "Be 0 0 0",
        "C 0 0 0; C 0 0 1.203; H 0 0 2.265; H 0 0 -1.062",
        "O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59; O 0 0 -2.9; H 0.76 0 -3.49; H -0.76 0 -3.49"}) {
    EXPECT_THAT(texts(find_odd_distances(angstrom(molecule))), IsEmpty()) << molecule;
  }
}

TEST(AtomNames, AreTheLabelsIfTheseTellAtomsApart) {
  EXPECT_THAT(atom_names(angstrom("O 0 0 0; H 0 0 1; H 0 1 0")), ElementsAre("O", "H2", "H3"));
  EXPECT_THAT(atom_names(angstrom("O 0 0 0; H_a 0 0 1; h1 0 1 0")), ElementsAre("O", "H_a", "h1"));
}

}  // namespace test_bonds
}  // namespace cisolve
