// SPDX-License-Identifier: MIT
// Plans of direct products on a device, which are made without one.
#include "cuda/hamiltonian/direct_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cisolve/core/error.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve::cuda {
namespace {

using test::full;
using Shape = test::SpaceShape;

constexpr std::int64_t kib = 1 << 10;

class DirectPlans : public ::testing::TestWithParam<Shape> {
protected:
  DirectPlans()
      : integrals(GetParam().integrals()), tables(integrals, 0.0), space(GetParam().selection(integrals)),
        diagonal(string_diagonal(space, tables)), host(space, tables, diagonal) {}

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
  std::vector<double> diagonal;
  cisolve::DirectProduct host;
};

TEST_P(DirectPlans, FitTheSharedMemoryOfTheDevice) {
  for (const std::int64_t shared_memory :
       {228 * kib, 164 * kib, 100 * kib}) {  // compute capability 9.0, 8.0, 8.6
    for (const int blocks : {0, 1, 2, -1}) {
      const direct::DirectPlan plan(host,
                                    {.blocks_per_multiprocessor = blocks, .shared_memory = shared_memory});
      const direct::Shape& shape = plan.opposite.shape;
      // Each block of threads takes a KiB for the system (CUDA C++ Programming Guide, compute capability 8.x, 9.0).
      EXPECT_LE(shape.blocks * (static_cast<std::int64_t>(plan.opposite.shared_bytes()) + kib),
                shared_memory);
      // A row of the widest block, which sums of same-spin excitations write.
      EXPECT_GE(shape.most_t, plan.opposite.most_columns);
      EXPECT_EQ(plan.opposite.tile_size() > 0, !shape.shared);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DirectPlans,
                         ::testing::Values(Shape{6, 3, 3, full, any_irrep, 1, 0.0},
                                           Shape{8, 4, 4, 4, 1, 4, 0.0},
                                           Shape{12, 5, 2, full, any_irrep, 1, 0.0},  // 792 columns
                                           Shape{36, 8, 8, 1, any_irrep, 1, 0.0},  // 224 singles of a string
                                           Shape{46, 10, 10, 1, any_irrep, 1, 0.0}));  // 360

class CrowdedDirectPlans : public DirectPlans {};
TEST_P(CrowdedDirectPlans, AreRefusedWhereTheExcitationsOfAStringDoNotFit) {
  EXPECT_NO_THROW(direct::DirectPlan(host, {}));
  EXPECT_THROW(direct::DirectPlan(host, {.shared_memory = 100 * kib}), ResourceError);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CrowdedDirectPlans,
                         ::testing::Values(Shape{44, 22, 22, 1, any_irrep, 1,
                                                 0.0}));  // 484 singles of a string

}  // namespace
}  // namespace cisolve::cuda
