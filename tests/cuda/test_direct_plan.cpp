// SPDX-License-Identifier: MIT
// Plans of direct products on a device, which are made without one.
#include "cuda/hamiltonian/direct_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
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

TEST_P(DirectPlans, PhasesFitTheRoomOfTheirBlock) {
  for (const std::int64_t shared_memory : {228 * kib, 100 * kib}) {
    for (const int blocks : {0, 1, 2, -1}) {
      const direct::DirectPlan plan(host,
                                    {.blocks_per_multiprocessor = blocks, .shared_memory = shared_memory});
      const direct::OppositePlan& o = plan.opposite;
      for (const direct::Block& block : o.blocks) {
        const std::int64_t t =
            o.shape.most_t + (o.shape.shared ? 2 * (o.most_pack() - block.pack_room) : std::int64_t{0});
        // A row of the block, which sums of same-spin excitations write.
        EXPECT_GE(t, o.most_columns);
        for (auto k = block.first_phase; k < block.last_phase; ++k) {
          const direct::Phase& phase = o.phases[static_cast<std::size_t>(k)];
          EXPECT_LE(phase.size, block.pack_room);
          EXPECT_LT(phase.nothing, t);
          EXPECT_EQ(phase.next_size,
                    k + 1 < block.last_phase ? o.phases[static_cast<std::size_t>(k) + 1].size : 0);
        }
      }
    }
  }
}

TEST_P(DirectPlans, GiveEveryTileOfAPhaseToOneWarp) {
  for (const int blocks : {1, 2}) {
    const direct::DirectPlan plan(host, {.blocks_per_multiprocessor = blocks});
    const direct::OppositePlan& o = plan.opposite;
    for (const direct::Phase& phase : o.phases) {
      std::vector<std::pair<int, int>> walked, expected;
      for (int warp = 0; warp < o.shape.warps; ++warp) {
        const direct::Share end = phase.shares[warp + 1];
        direct::Share at = phase.shares[warp];
        for (; at.item < end.item || (at.item == end.item && at.tile < end.tile);) {
          const direct::Item& item = o.items[static_cast<std::size_t>(phase.first_item + at.item)];
          if (at.tile * direct::tile_columns >= item.stride) {
            at = {at.item + 1, 0};
          } else {
            walked.emplace_back(at.item, at.tile++);
          }
        }
      }
      for (int k = 0; k < phase.num_items; ++k) {
        const direct::Item& item = o.items[static_cast<std::size_t>(phase.first_item + k)];
        for (int tile = 0; tile * direct::tile_columns < item.stride; ++tile) expected.emplace_back(k, tile);
      }
      EXPECT_EQ(walked, expected);
    }
  }
}

/// How often the same-spin part of the rows of a block is summed in a layout: by a dense class, a segment, with the
/// opposite-spin part, or by tiles that cover the columns of the panel.
std::int64_t count_own(const direct::DirectPlan& plan, const direct::Side& side, int c, int d) {
  const int layout = side.number;
  const BlockLayout::Panel& panel = side.layout.panels[static_cast<std::size_t>(d)];
  std::int64_t covered = 0;
  for (const direct::DenseTile& tile : plan.own.dense_tiles) {
    if (tile.layout == layout && tile.first >= panel.offset && tile.first < panel.offset + panel.stride)
      covered += tile.columns;
  }
  EXPECT_TRUE(covered == 0 || covered == panel.stride);
  const auto of_segment = [&](const direct::OwnSegment& s) {
    return s.layout == layout && s.minor_class == d && s.major_class == c;
  };
  const auto of_block = [&](const direct::Block& b) {
    return b.layout == layout && b.y == panel.offset + side.layout.row(d, c) * panel.stride &&
           b.first_own >= 0;
  };
  return (plan.own.dense_of[layout][static_cast<std::size_t>(c)] >= 0 ? 1 : 0) + (covered > 0 ? 1 : 0) +
         std::ranges::count_if(plan.own.segments, of_segment) +
         std::ranges::count_if(plan.opposite.blocks, of_block);
}

TEST_P(DirectPlans, SumTheSameSpinPartOfEveryRowOnce) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::even}) {
    if (parity != SpinParity::none && !host.tables().blocks.symmetric) continue;
    const cisolve::DirectProduct product(space, tables, diagonal, parity);
    const direct::DirectPlan plan(product, {});
    for (int layout = 0; layout < (parity == SpinParity::none ? 2 : 1); ++layout) {
      const direct::Side side(product.tables(), layout);
      for (int d = 0; d < side.minor.count(); ++d) {
        for (int c = 0; c < side.major.count(); ++c) {
          if (side.layout.row(d, c) >= 0) {
            EXPECT_EQ(count_own(plan, side, c, d), 1);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DirectPlans,
                         ::testing::Values(Shape{6, 3, 3, full, any_irrep, 1, 0.0},
                                           Shape{8, 4, 4, 4, 1, 4, 0.0}, Shape{12, 5, 5, 4, 0, 4, 0.0},
                                           Shape{9, 4, 1, 4, 2, 4, 0.1},
                                           Shape{12, 5, 2, full, any_irrep, 1, 0.0},  // 792 columns
                                           Shape{36, 8, 8, 1, any_irrep, 1, 0.0},  // 224 singles of a string
                                           Shape{46, 10, 10, 1, any_irrep, 1, 0.0}));  // 360

TEST(DensePanelPlans, HaveMatricesWhereTheyAreWorthIt) {
  const Shape shape{12, 5, 5, 4, 0, 4, 0.0};
  const Integrals integrals = shape.integrals();
  const IntegralTables tables(integrals, 0.0);
  const ProductSpace<1> space(shape.selection(integrals));
  const std::vector<double> diagonal = string_diagonal(space, tables);
  const direct::DirectPlan plan(cisolve::DirectProduct(space, tables, diagonal), {});
  EXPECT_FALSE(plan.own.dense_groups.empty());
  EXPECT_FALSE(plan.own.segments.empty());
  for (const direct::DenseGroup& group : plan.own.dense_groups) {
    EXPECT_GE(group.num_tiles, 1);
    EXPECT_LE(group.num_tiles, direct::most_dense_tiles);
  }
}

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
