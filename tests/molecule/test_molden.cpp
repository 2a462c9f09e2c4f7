// SPDX-License-Identifier: MIT
#include "cisolve/molecule/molden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "cisolve/core/error.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_molden {

using testing::HasSubstr;
using testing::Not;

/// One shell of helium with one orbital, whose coefficients are 1, 2, 3, ...
MoldenOrbitals one_shell(int l, bool spherical) {
  MoldenOrbitals one;
  one.title = "two\nlines";
  one.geometry.atoms = {{2, "He", {0.5, 0.0, -1.0}}};
  GaussianShell shell{
      .angular_momentum = l, .spherical = spherical, .exponents = {0.8}, .coefficients = {2.0}};
  one.basis = {{shell}, shell.num_functions()};
  one.coefficients = Matrix(shell.num_functions(), 1);
  for (int f = 0; f < shell.num_functions(); ++f) one.coefficients(f, 0) = f + 1;
  one.symmetries = {"1a1"};
  one.energies = {-0.5};
  one.occupations = {1.5};
  return one;
}

/// The coefficients of the last orbital in a text, in its order.
std::vector<double> coefficients_of(const std::string& text) {
  std::istringstream in(text.substr(text.find("Occup=")));
  std::string word;
  in >> word >> word;
  std::vector<double> values;
  int number = 0;
  for (double value = 0.0; in >> number >> value;) values.push_back(value);
  return values;
}

TEST(Molden, OrdersSphericalFunctionsByTheSizeOfM) {
  const std::string text = molden_text(one_shell(2, true));
  EXPECT_EQ(coefficients_of(text), (std::vector<double>{3, 4, 2, 5, 1}));
  EXPECT_THAT(text, HasSubstr("[5D]\n"));
  EXPECT_THAT(molden_text(one_shell(3, true)), HasSubstr("[7F]\n"));
  EXPECT_THAT(molden_text(one_shell(4, true)), HasSubstr("[9G]\n"));
  EXPECT_EQ(coefficients_of(molden_text(one_shell(1, false))), (std::vector<double>{1, 2, 3}));
}

/// Each normalised to one, ours as xx: 3 for the square of xy, 15 of xyz, 9 of xxyy.
TEST(Molden, OrdersAndNormalisesCartesianFunctions) {
  const std::string d = molden_text(one_shell(2, false));
  EXPECT_THAT(d, Not(HasSubstr("[5D")));
  const double r3 = std::sqrt(3.0), r5 = std::sqrt(5.0), r15 = std::sqrt(15.0), r7 = std::sqrt(7.0);
  const std::vector<double> expected_d = {1, 4, 6, 2 / r3, 3 / r3, 5 / r3};
  // ours: xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz
  const std::vector<double> expected_f = {1, 7, 10, 4 / r5, 2 / r5, 3 / r5, 6 / r5, 9 / r5, 8 / r5, 5 / r15};
  // ours: xxxx xxxy xxxz xxyy xxyz xxzz xyyy xyyz xyzz xzzz yyyy yyyz yyzz yzzz zzzz
  const double r9 = std::sqrt(105.0 / 9.0), r35 = std::sqrt(35.0);
  const std::vector<double> expected_g = {1,      11,      15,      2 / r7,  3 / r7,
                                          7 / r7, 12 / r7, 10 / r7, 14 / r7, 4 / r9,
                                          6 / r9, 13 / r9, 5 / r35, 8 / r35, 9 / r35};
  int l = 2;
  for (const auto& expected : {expected_d, expected_f, expected_g}) {
    const std::vector<double> found = coefficients_of(molden_text(one_shell(l++, false)));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-14) << k;
  }
}

TEST(Molden, NormalisesContractionsAndKeepsTheTitleInALine) {
  const std::string text = molden_text(one_shell(0, false));
  EXPECT_THAT(text, HasSubstr(" s    1 1.00\n  8.0000000000000004E-01   1.00000000000000"));
  EXPECT_THAT(text, HasSubstr("[Title]\n two lines\n[Atoms] (AU)\nHe      1    2   5.0000000000000000E-01"));
  EXPECT_THAT(text, HasSubstr(" Sym= 1a1\n Ene= -5.0000000000000000E-01\n Spin= Alpha\n Occup= 1.5"));
}

TEST(Molden, RefusesShellsBeyondG) {
  try {
    molden_text(one_shell(5, true));
    FAIL() << "written";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is a shell H on He"));
  }
}

class ReadMolden : public testing::Test {
protected:
  MoldenOrbitals read(const std::string& text) const {
    const auto file = folder_ / "a.molden";
    std::ofstream(file) << text;
    return read_molden(file);
  }
  void expect_refused(const std::string& text, const std::string& part) const {
    try {
      read(text);
      ADD_FAILURE() << "was read: " << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
  test::TemporaryFolder folder_;
};

TEST_F(ReadMolden, GivesBackWhatWasWritten) {
  for (int l = 0; l <= 4; ++l) {
    for (const bool spherical : {false, true}) {
      if (l < 2 && spherical) continue;
      const MoldenOrbitals one = one_shell(l, spherical);
      const MoldenOrbitals again = read(molden_text(one));
      EXPECT_EQ(again.title, "two lines");
      ASSERT_EQ(again.geometry.atoms.size(), 1U);
      EXPECT_EQ(again.geometry.atoms[0].charge, 2);
      EXPECT_EQ(again.geometry.atoms[0].position, one.geometry.atoms[0].position);
      ASSERT_EQ(again.basis.shells.size(), 1U);
      EXPECT_EQ(again.basis.shells[0].angular_momentum, l);
      EXPECT_EQ(again.basis.shells[0].spherical, spherical);
      EXPECT_EQ(again.basis.shells[0].exponents, one.basis.shells[0].exponents);
      EXPECT_EQ(again.symmetries, one.symmetries);
      EXPECT_EQ(again.energies, one.energies);
      EXPECT_EQ(again.occupations, one.occupations);
      ASSERT_EQ(again.coefficients.rows(), one.coefficients.rows());
      for (int f = 0; f < one.coefficients.rows(); ++f)
        EXPECT_NEAR(again.coefficients(f, 0), one.coefficients(f, 0), 1e-14) << l << f;
    }
  }
}

/// As some program may write it: other units, letters, orders, and zeros left out.
const std::string loose =
    "[MOLDEN FORMAT]\n made by nobody\n[Atoms] Angs\nH1 1 1 0 0 0.529177210903\nHe 2 2 0 0 0\n[5D]\n"
    "[GTO] (AU)\n1 0\nsp 2 1.0\n 1.0D+00 0.5 0.25\n 2.0 0.0 1.0\n\n2 0\nS 1\n3.0 1.0\n"
    "[FREQ]\n100.0\n[MO]\nOccup= 1.0\nSym= A\n2 0.5\n5 -1.0\nEne= -0.25\nSpin= alpha\nOccup= 0\n1 1.0\n";

TEST_F(ReadMolden, TakesWhatOtherProgramsWrite) {
  const MoldenOrbitals found = read(loose);
  ASSERT_EQ(found.geometry.atoms.size(), 2U);
  EXPECT_NEAR(found.geometry.atoms[0].position[2], 1.0, 1e-14);
  ASSERT_EQ(found.basis.shells.size(), 3U);
  EXPECT_EQ(found.basis.shells[0].exponents, std::vector<double>{1.0});
  EXPECT_EQ(found.basis.shells[1].exponents, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(found.basis.shells[1].coefficients, (std::vector<double>{0.25, 1.0}));
  EXPECT_EQ(found.basis.shells[2].centre, (Position{0.0, 0.0, 0.0}));
  ASSERT_EQ(found.coefficients.rows(), 5);
  ASSERT_EQ(found.coefficients.columns(), 2);
  EXPECT_EQ(found.coefficients(1, 0), 0.5);
  EXPECT_EQ(found.coefficients(4, 0), -1.0);
  EXPECT_EQ(found.coefficients(0, 0), 0.0);
  EXPECT_EQ(found.occupations, (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(found.energies, (std::vector<double>{0.0, -0.25}));
}

TEST_F(ReadMolden, RefusesWithTheLine) {
  const auto with = [](const std::string& what, const std::string& by) {
    std::string text = loose;
    return text.replace(text.find(what), what.size(), by);
  };
  expect_refused("", "a.molden:0: found ''; expected [Molden Format]");
  expect_refused("O 0 0 0\n", "a.molden:1: found 'O 0 0 0'; expected [Molden Format]");
  expect_refused(with("Angs", ""), ":3: found '[Atoms] '; expected the unit");
  expect_refused(with("[GTO] (AU)", "[STO]"), ":7: found '[STO]'; expected Gaussian functions");
  expect_refused(with("S 1\n", "h 1\n"), "expected a shell such as");
  expect_refused(with("\n2 0\nS", "\n3 0\nS"), "[GTO] has shells of atom 3, [Atoms] has 2");
  expect_refused(with("3.0 1.0", "-3.0 1.0"), "expected a positive exponent");
  expect_refused(with("alpha", "Beta"), "expected orbitals for both spins");
  expect_refused(with("5 -1.0", "6 -1.0"), "orbital 1 has a coefficient of function 6; there are 5");
  expect_refused(with("5 -1.0", "5 nan"), "expected the number of a function and its coefficient");
  expect_refused(loose.substr(0, loose.find("[MO]\n")), "the Molden file has no [MO]");
}

}  // namespace test_molden
}  // namespace cisolve
