// SPDX-License-Identifier: MIT
#include "cisolve/molecule/orbital_contributions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_orbital_contributions {

using testing::ElementsAre;
using testing::StartsWith;

TEST(ShellNames, CountFromTheLowestShellToTheValence) {
  EXPECT_EQ(shell_name(8, 0, 0), "1s");
  EXPECT_EQ(shell_name(8, 0, 1), "2s");
  EXPECT_EQ(shell_name(8, 0, 4), "2s");
  EXPECT_EQ(shell_name(8, 1, 3), "2p");
  EXPECT_EQ(shell_name(8, 2, 1), "3d");
  EXPECT_EQ(shell_name(1, 0, 2), "1s");
  EXPECT_EQ(shell_name(1, 1, 0), "2p");
  EXPECT_EQ(shell_name(17, 1, 0), "2p");
  EXPECT_EQ(shell_name(17, 1, 5), "3p");
  EXPECT_EQ(shell_name(36, 2, 0), "3d");
  EXPECT_EQ(shell_name(36, 2, 4), "3d");
  EXPECT_EQ(shell_name(47, 2, 3), "4d");
  EXPECT_EQ(shell_name(8, 3, 0), "4f");
}

class OrbitalContributions : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

// Squares of S^1/2 C with overlap and orbitals of PySCF 2.14.
TEST_F(OrbitalContributions, AreLoewdinPopulations) {
  const test::TestMolecule molecule(test::water, "sto-3g");
  const ScfResult scf = run_scf(molecule.view(), molecule.electrons(0, 1));
  const auto texts = orbital_contributions(molecule.basis, molecule.frame, scf.orbitals.coefficients);
  EXPECT_THAT(texts, ElementsAre("O 1s 0.98", "O 2s 0.68, H2+H3 1s 0.29", "O 2p 0.55, H2+H3 1s 0.45",
                                 "O 2p 0.72, O 2s 0.14, H2+H3 1s 0.13", "O 2p 1.00",
                                 "H2+H3 1s 0.58, O 2p 0.26, O 2s 0.16", "H2+H3 1s 0.55, O 2p 0.45"));
}

TEST_F(OrbitalContributions, TakeManyEqualAtomsTogether) {
  const test::TestMolecule methane(
      "C 0 0 0; H 0.63 0.63 0.63; H -0.63 -0.63 0.63; H -0.63 0.63 -0.63; "
      "H 0.63 -0.63 -0.63",
      "sto-3g");
  const ScfResult scf = run_scf(methane.view(), methane.electrons(0, 1));
  const auto texts = orbital_contributions(methane.basis, methane.frame, scf.orbitals.coefficients);
  EXPECT_THAT(texts[0], StartsWith("C 1s 0.98"));
  EXPECT_THAT(texts[2], testing::HasSubstr("4 H 1s 0."));
}

}  // namespace test_orbital_contributions
}  // namespace cisolve
