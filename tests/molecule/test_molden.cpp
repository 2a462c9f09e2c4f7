// SPDX-License-Identifier: MIT
#include "cisolve/molecule/molden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

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

}  // namespace
}  // namespace cisolve
