// SPDX-License-Identifier: MIT
// Spaces of many electrons and few determinants (the shape of benzene's singles and doubles): a determinant with two
// electrons of one spin excited has the reference's other string, so that strings are nearly as many as determinants.
// What is tabulated must not grow with strings times excitations, of which nearly all lead out of the space.
#include <gtest/gtest.h>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve {
namespace test_thin_spaces {

using Shape = test::SpaceShape;

class ThinSpaces : public testing::TestWithParam<Shape> {};

TEST_P(ThinSpaces, HaveNoStringOutsideOfTheirDeterminants) {
  const Integrals integrals = GetParam().integrals();
  const ProductSpace<1> space(GetParam().selection(integrals));
  const BlockStructure blocks(space);
  EXPECT_EQ(blocks.alpha.num_strings(), space.alpha().size());
  EXPECT_EQ(blocks.beta.num_strings(), space.beta().size());
}

/// Whether determinants with an alpha string and with another are at most a single excitation of beta apart.
bool are_joined(const ProductSpace<1>& space, std::int32_t alpha, std::int32_t other) {
  for (int level = 0; level < space.num_levels(); ++level) {
    for (int other_level = 0; other_level < space.num_levels(); ++other_level) {
      for (const std::int32_t b : space.run_betas(level, alpha)) {
        for (const std::int32_t c : space.run_betas(other_level, other)) {
          if ((space.beta()[b] & ~space.beta()[c]).count() <= 1) return true;
        }
      }
    }
  }
  return false;
}

TEST_P(ThinSpaces, TabulateNoExcitationThatJoinsNoDeterminants) {
  const Integrals integrals = GetParam().integrals();
  const ProductSpace<1> space(GetParam().selection(integrals));
  const StringTable<1>& alpha = space.alpha();
  std::int64_t useless = 0;
  for (std::int32_t a = 0; a < alpha.size(); ++a) {
    for (const auto& link : alpha.singles()[a]) useless += are_joined(space, a, link.target) ? 0 : 1;
    for (const auto& link : alpha.doubles({&a, 1}).links)
      useless += are_joined(space, a, link.target) ? 0 : 1;
  }
  EXPECT_EQ(useless, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ThinSpaces,
    testing::Values(
        Shape{.orbitals = 20, .alpha = 7, .beta = 7, .level = 2, .irrep = 0, .num_irreps = 8},
        Shape{.orbitals = 20, .alpha = 7, .beta = 7, .level = 2, .irrep = 3, .num_irreps = 8},
        Shape{.orbitals = 16, .alpha = 6, .beta = 5, .level = 2, .irrep = 1, .num_irreps = 4},
        Shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 2},
        test::bounded({.orbitals = 14, .alpha = 5, .beta = 5, .level = 2, .irrep = 0, .num_irreps = 4},
                      {2, 1}, {6, 1})));

}  // namespace test_thin_spaces
}  // namespace cisolve
