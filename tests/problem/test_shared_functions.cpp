// SPDX-License-Identifier: MIT
// The functions of a basis over other integrals.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "problem/certified_water.hpp"

namespace cisolve {
namespace test_shared_functions {

TEST(Basis, OverOtherIntegralsHasTheSameFunctionsAndTheirMatrix) {
  const FcidumpFile file = test::water();
  const auto other = std::make_shared<Integrals>(file.integrals);
  other->core_energy += 1.0;
  other->h(0, 0) -= 0.5;
  for (const FunctionKind kind : {FunctionKind::determinant, FunctionKind::csf}) {
    auto first = make_basis(test::singles_and_doubles(file.integrals, kind), test::roomy.memory);
    const auto expected = make_basis(test::singles_and_doubles(*other, kind), test::roomy.memory);
    const auto shared = first->over(other);
    EXPECT_EQ(shared->definition().integrals, other);
    EXPECT_EQ(shared->definition().multiplicity, first->definition().multiplicity);
    EXPECT_EQ(shared->as_product(), first->as_product()) << "the strings themselves, with what is tabulated";
    const std::uint64_t hash = first->summary().hash;
    first.reset();  // the functions stay
    EXPECT_EQ(shared->summary().hash, hash);
    EXPECT_EQ(shared->diagonal(), expected->diagonal());
    const std::vector<double> found = test::Solved(Problem(shared->over(other))).energies;
    EXPECT_EQ(found,
              test::Solved(Problem(make_basis(test::singles_and_doubles(*other, kind), test::roomy.memory)))
                  .energies);
  }
}

TEST(Basis, IsNotOverIntegralsOfOtherOrbitals) {
  const FcidumpFile file = test::water();
  const auto basis =
      make_basis(test::singles_and_doubles(file.integrals, FunctionKind::determinant), test::roomy.memory);
  const auto of_other_irreps = std::make_shared<Integrals>(file.integrals);
  std::swap(of_other_irreps->irreps.front(), of_other_irreps->irreps[2]);
  ASSERT_NE(of_other_irreps->irreps, file.integrals.irreps);
  EXPECT_THROW(basis->over(of_other_irreps), DimensionError);
  EXPECT_THROW(basis->over(std::make_shared<const Integrals>(file.integrals.num_orbitals - 1)),
               DimensionError);
}

}  // namespace test_shared_functions
}  // namespace cisolve
