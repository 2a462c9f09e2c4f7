// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "molecule/shell_families.hpp"

namespace cisolve {
namespace test_shell_families {

using detail::FamilyRepulsion;
using detail::RepulsionEngine;
using detail::ShellFamilies;

ElementShell shell(int l, std::vector<double> exponents, std::vector<double> coefficients) {
  return {l, std::move(exponents), std::move(coefficients)};
}

/// Two atoms with general contraction in s, p and d, a shell that shares nothing, and one whose primitive is in a
/// contraction before it.
GaussianBasis contracted_basis() {
  BasisSet set{.name = "general contraction", .functions = FunctionType::spherical, .elements = {}};
  set.elements[2] = {shell(0, {48.0, 8.1, 1.9, 0.5}, {0.02, 0.15, 0.5, 0.45}),
                     shell(0, {48.0, 8.1, 1.9, 0.5}, {-0.01, -0.07, -0.3, 1.1}),
                     shell(0, {0.5}, {1.0}),
                     shell(0, {0.12}, {1.0}),
                     shell(1, {9.0, 2.0, 0.4}, {0.1, 0.4, 0.6}),
                     shell(1, {9.0, 2.0, 0.4}, {-0.1, -0.2, 1.0}),
                     shell(1, {2.0, 0.4}, {1.0, -0.7}),
                     shell(2, {1.5, 0.6}, {0.6, 0.5}),
                     shell(2, {1.5, 0.6}, {-0.8, 0.9})};
  Geometry geometry;
  geometry.atoms = {{.charge = 2, .label = "He", .position = {0.0, 0.1, 0.0}},
                    {.charge = 2, .label = "He", .position = {0.3, -0.2, 1.7}}};
  return make_basis(geometry, set, FunctionType::spherical, "test");
}

TEST(ShellFamilies, AreNeighboursThatShareTheirPrimitives) {
  const ShellFamilies found(contracted_basis());
  ASSERT_EQ(found.families.size(), 8U);
  const int shells[] = {3, 1, 3, 2}, parts[] = {4, 1, 3, 2};
  for (std::size_t k = 0; k < found.families.size(); ++k) {
    EXPECT_EQ(found.families[k].num_shells, shells[k % 4]);
    EXPECT_EQ(found.families[k].num_parts, parts[k % 4]);
  }
}

TEST(ShellFamilies, GiveTheIntegralsOfTheContractedShells) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "no Libint2 in this build";
  constexpr double precision = 1e-20;
  const GaussianBasis basis = contracted_basis();
  RepulsionEngine plain(basis, precision, 1);
  FamilyRepulsion families(basis, precision, 1);
  const auto for_each_shell = [&](int f, const auto& visit) {
    for (int s = 0; s < families.family(f).num_shells; ++s) visit(families.family(f).first_shell + s);
  };
  const auto functions = [&](int s) { return basis.shells[static_cast<std::size_t>(s)].num_functions(); };
  const auto expect_same = [&](int i, int j, int k, int l) {
    if (i < j || k < l) return;
    const double* expected = plain.compute(0, i, j, k, l);
    const double* found = families.block(0, i, j, k, l);
    for (int at = 0; at < functions(i) * functions(j) * functions(k) * functions(l); ++at) {
      // Sums of up to 4^4 integrals of the order of 1, by coefficients of that order.
      const double value = expected == nullptr ? 0.0 : expected[at];
      ASSERT_NEAR(found == nullptr ? 0.0 : found[at], value, 1e-12) << i << j << k << l;
    }
  };
  for (int a = 0; a < families.num_families(); ++a) {
    for (int b = 0; b <= a; ++b) {
      for (int c = 0; c < families.num_families(); ++c) {
        for (int d = 0; d <= c; ++d) {
          families.compute(0, a, b, c, d);
          for_each_shell(a, [&](int i) {
            for_each_shell(b, [&](int j) {
              for_each_shell(c, [&](int k) { for_each_shell(d, [&](int l) { expect_same(i, j, k, l); }); });
            });
          });
        }
      }
    }
  }
}

}  // namespace test_shell_families
}  // namespace cisolve
