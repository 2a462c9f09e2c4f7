// SPDX-License-Identifier: MIT
#include "cisolve/molecule/gaussian94.hpp"

#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_gaussian94 {

struct Case {
  const char* set;
  FunctionType functions;
};

/// sp shells, and a general contraction.
TEST(Gaussian94, ReadsBackTheSameShells) {
  const Geometry geometry = parse_geometry(test::water, LengthUnit::angstrom, "test");
  for (const Case& one :
       {Case{"6-31g(d)", FunctionType::cartesian}, Case{"cc-pvtz", FunctionType::spherical}}) {
    const GaussianBasis basis =
        make_basis(geometry, read_basis_set(one.set, CISOLVE_BASIS_SETS), one.functions, "test");
    const Gaussian94Head head{one.set, {}, one.functions};
    const std::string text = gaussian94_text(basis, geometry, {&head, 1});
    const BasisSet again = read_gaussian94(text, "text");
    EXPECT_EQ(again.name, one.set);
    EXPECT_EQ(again.functions, one.functions);
    EXPECT_EQ(again.elements.size(), 2U) << "oxygen and hydrogen, no other";
    const GaussianBasis made = make_basis(geometry, again, one.functions, "test");
    ASSERT_EQ(made.shells.size(), basis.shells.size());
    for (std::size_t k = 0; k < basis.shells.size(); ++k) {
      const GaussianShell &a = made.shells[k], &b = basis.shells[k];
      EXPECT_EQ(a.angular_momentum, b.angular_momentum);
      EXPECT_EQ(a.atom, b.atom);
      EXPECT_EQ(a.spherical, b.spherical);
      EXPECT_EQ(a.exponents, b.exponents) << "to the last bit";
      EXPECT_EQ(a.coefficients, b.coefficients);
    }
  }
}

TEST(Gaussian94, RefusesWithTheLine) {
  try {
    read_gaussian94("! name: X\nH 0\nS 1 1.00\n-1.0 1.0\n****\n", "x.gbs");
    FAIL() << "read";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "x.gbs:4: found '-1.0 1.0'; expected a positive exponent");
  }
}

}  // namespace test_gaussian94
}  // namespace cisolve
