// SPDX-License-Identifier: MIT
// Plans of direct products by ranks, which are made without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "cuda/ranked_plans.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve::cuda {
namespace test_ranked_plan {

using namespace ranked_plans;
using Problem = cisolve::test::DirectProblem;
using Shape = cisolve::test::SpaceShape;

/// What is summed for every row of y by blocks of threads, in order.
std::map<Row, Sums> opposite_sums(const direct::DirectPlan& plan, const Problem& problem,
                                  const StringShares& shares) {
  const auto rows = rows_of_y(problem, shares);
  std::map<Row, Sums> result;
  const auto to = [&](const auto& block, std::int32_t string) -> Sums& {
    const Row row = rows.at({block.layout, block.y + std::int64_t{string} * block.stride});
    EXPECT_FALSE(result.contains(row));
    return result[row];
  };
  const auto& o = plan.opposite;
  for (const direct::RowTask& task : o.arrays.tasks) {
    const direct::Block& block = o.arrays.blocks[task.block];
    Sums& sums = to(block, task.string);
    for (int phase = block.first_phase; phase < block.last_phase; ++phase) {
      const direct::Phase& p = o.arrays.phases[phase];
      sums.push_back({p.num_items, p.num_excitations, p.size});
      for (int k = p.first_item; k < p.first_item + p.num_items; ++k)
        sums.push_back(sums_of(plan, o.arrays.items[k], task.string));
    }
    if (block.first_same_spin == direct::no_same_spin) continue;
    const std::int64_t* offsets = o.gather.same_spin_offsets.data() + block.first_same_spin + task.string;
    sums.emplace_back(o.gather.same_spin_rows.begin() + offsets[0],
                      o.gather.same_spin_rows.begin() + offsets[1]);
  }
  for (const direct::RowTask& task : plan.long_rows.arrays.tasks) {
    const direct::LongBlock& block = plan.long_rows.arrays.blocks[task.block];
    Sums& sums = to(block, task.string);
    for (int k = block.first_item; k < block.last_item; ++k)
      sums.push_back(sums_of(plan, plan.long_rows.arrays.items[k], task.string));
  }
  return result;
}

class RankedPlans : public ::testing::TestWithParam<Shape> {};

TEST_P(RankedPlans, SumEveryRowOfOneRankOnOneOfThemAndAlike) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::even}) {
    if (parity != SpinParity::none && !Problem(GetParam()).host.tables().exchange_symmetric) continue;
    const Problem problem(GetParam(), parity);
    for (const std::int64_t least_long : {-1, 0, 20}) {
      const DirectConfig config{.least_long_columns = least_long};
      const direct::DirectPlan whole(problem.host, config);
      const auto expected = opposite_sums(whole, problem, {});
      for (const int ranks : {1, 3, 7}) {
        std::map<Row, Sums> found;
        std::size_t excitations = 0, rows = 0;
        const auto plans = plans_of(problem, ranks, config);
        for (int rank = 0; rank < ranks; ++rank) {
          auto own = opposite_sums(plans[rank], problem, {ranks, rank});
          rows += own.size();
          found.merge(own);
          excitations += plans[rank].excitations.excitations.size();
          EXPECT_EQ(plans[rank].opposite.shape.most_t, whole.opposite.shape.most_t);
          EXPECT_EQ(plans[rank].opposite.shape.most_factors, whole.opposite.shape.most_factors);
          EXPECT_EQ(plans[rank].uses_layout_1, plans[0].uses_layout_1);
        }
        EXPECT_EQ(rows, expected.size());
        EXPECT_EQ(found, expected);
        EXPECT_LE(excitations, whole.excitations.excitations.size());
      }
    }
  }
}

TEST_P(RankedPlans, GatherXAndBringLayout1Home) {
  const Problem problem(GetParam());
  const DirectTables& tables = problem.host.tables();
  const std::vector<double> whole = numbers_by_alpha(problem);
  for (const int ranks : {1, 2, 3, 7}) {
    const Ranks all{plans_of(problem, ranks)};
    std::vector<std::vector<double>> x, buffers;
    for (int rank = 0; rank < ranks; ++rank) {
      const direct::LayoutPlan& layout = all.plans[rank].layout;
      const RowMap map = rows_of(problem.space, tables.blocks, {ranks, rank});
      ASSERT_EQ(layout.num_rows, map.local_rows());
      std::vector<int> met(layout.num_rows);
      x.emplace_back(whole.size(), -1.0);
      for_each_row(layout, [&](std::int64_t row, const auto& tile, int k, int j) {
        ++met.at(row);
        x.back().at(tile.by_alpha + std::int64_t{k} * tile.alpha_stride + j) =
            static_cast<double>(map.global(row));
      });
      EXPECT_EQ(met, std::vector<int>(met.size(), 1));
    }
    all.exchange(&direct::ExchangePlan::give_rows, &direct::ExchangePlan::take_rows, x);
    for (const auto& of_rank : x) EXPECT_EQ(of_rank, whole);
    if (!all.plans[0].uses_layout_1) continue;
    for (int rank = 0; rank < ranks; ++rank) {
      // What layout 1 has of x, taken as y.
      const direct::DirectPlan& plan = all.plans[rank];
      std::vector<double> x1(plan.vectors.x[1], -1.0), y1(plan.vectors.y[1], -1.0);
      copy(plan.exchange->transpose, true, whole, x1);
      if (plan.vectors.x[1] == plan.vectors.y[1]) {
        y1 = x1;
      } else {
        const direct::Side side(tables, 1, {ranks, rank});
        for (const auto& [at, row] : rows_of_y(problem, {ranks, rank})) {
          const auto [number, d, c, k] = row;
          if (number == 0) continue;
          const auto from = x1.begin() + side.first_element(d, c) + k * side.panel(d).stride;
          std::copy_n(from, side.panel(d).columns, y1.begin() + at.second);
        }
      }
      buffers.emplace_back(plan.vectors.exchanged, -1.0);
      copy(plan.exchange->pack_y, false, y1, buffers.back());
    }
    all.exchange(&direct::ExchangePlan::give_columns, &direct::ExchangePlan::take_columns, buffers);
    for (int rank = 0; rank < ranks; ++rank) {
      const RowMap map = rows_of(problem.space, tables.blocks, {ranks, rank});
      for_each_row(all.plans[rank].layout, [&](std::int64_t row, const auto& tile, int k, int j) {
        EXPECT_EQ(buffers[rank].at(tile.by_beta + std::int64_t{j} * tile.beta_stride + k),
                  static_cast<double>(map.global(row)));
      });
    }
  }
}

TEST_P(RankedPlans, GiveMirrorImagesToTheirOwners) {
  if (!Problem(GetParam()).host.tables().exchange_symmetric) GTEST_SKIP() << "spins cannot be exchanged";
  const Problem problem(GetParam(), SpinParity::even);
  const DirectTables& tables = problem.host.tables();
  const std::vector<double> whole = numbers_by_alpha(problem);
  for (const int ranks : {1, 2, 3, 7}) {
    const Ranks all{plans_of(problem, ranks)};
    std::vector<std::vector<double>> of_x, of_y;
    for (int rank = 0; rank < ranks; ++rank) {
      const direct::DirectPlan& plan = all.plans[rank];
      EXPECT_FALSE(plan.uses_layout_1);
      of_x.emplace_back(plan.vectors.exchanged, -1.0);
      of_y.emplace_back(plan.vectors.exchanged, -1.0);
      std::vector<double> y(plan.vectors.y[0], -1.0);
      for_each_row(plan.layout, [&](std::int64_t, const auto& tile, int k, int j) {
        const std::int64_t at = std::int64_t{k} * tile.alpha_stride + j;
        y.at(tile.y + at) = whole[tile.by_alpha + at];
      });
      copy(plan.exchange->pack_x, false, whole, of_x.back());
      copy(plan.exchange->pack_y, false, y, of_y.back());
    }
    all.exchange(&direct::ExchangePlan::give_columns, &direct::ExchangePlan::take_columns, of_x);
    all.exchange(&direct::ExchangePlan::give_columns, &direct::ExchangePlan::take_columns, of_y);
    // The mirror image of an element has the place in layout 1 that the element has in layout 0.
    std::vector<double> mirrored(whole.size(), -1.0);
    for_each_row(direct::LayoutPlan(problem.host), [&](std::int64_t row, const auto& tile, int k, int j) {
      mirrored[row] = whole[tile.by_beta + std::int64_t{j} * tile.beta_stride + k];
    });
    for (int rank = 0; rank < ranks; ++rank) {
      const RowMap map = rows_of(problem.space, tables.blocks, {ranks, rank});
      for_each_row(all.plans[rank].layout, [&](std::int64_t row, const auto& tile, int k, int j) {
        const std::int64_t at = tile.by_beta + std::int64_t{j} * tile.beta_stride + k;
        EXPECT_EQ(of_x[rank].at(at), mirrored[map.global(row)]);
        EXPECT_EQ(of_y[rank].at(at), mirrored[map.global(row)]);
      });
    }
  }
}

/// How often the same-spin part of a row of y is summed by segments, dense panels and blocks of threads, and how often
/// that of the minor spin by products with large classes.
std::array<std::int64_t, 2> count_same_spin(const direct::DirectPlan& plan, const direct::Side& side, int d,
                                            int c, std::int32_t string) {
  const BlockLayout::Panel& panel = side.panel(d);
  const std::int64_t y = side.own.origin(d, c) + string * panel.stride;
  const auto has = [&](std::int64_t first, std::int64_t rows, std::int64_t stride) {
    return first <= y && y < first + rows * stride;
  };
  std::array<std::int64_t, 2> count{};
  for (const direct::Segment& s : plan.same_spin.segments.segments)
    count[0] += s.layout == side.number && has(s.y, s.strings, s.stride) ? 1 : 0;
  for (const direct::DenseGroup& group : plan.same_spin.panels.arrays.groups) {
    for (int k = group.first_tile; k < group.first_tile + group.num_tiles; ++k) {
      const direct::DenseTile& tile = plan.same_spin.panels.arrays.tiles[k];
      count[0] += tile.layout == side.number && tile.y == side.own.offset(d) &&
                  has(tile.y, group.targets, tile.stride);
    }
  }
  for (const direct::RowTask& task : plan.opposite.arrays.tasks) {
    const direct::Block& block = plan.opposite.arrays.blocks[task.block];
    count[0] += block.layout == side.number && block.first_same_spin != direct::no_same_spin &&
                        block.y + std::int64_t{task.string} * block.stride == y
                    ? 1
                    : 0;
  }
  for (const direct::LargePart& part : plan.same_spin.large_parts) {
    EXPECT_FALSE(part.left);
    count[1] += part.layout == side.number && has(part.y, part.rows, part.stride) ? 1 : 0;
  }
  return count;
}

TEST_P(RankedPlans, SumSameSpinPartsOnce) {
  const Problem problem(GetParam());
  for (const SameSpin same_spin : {SameSpin::chosen, SameSpin::dense, SameSpin::projected}) {
    for (const int ranks : {1, 2, 3}) {
      const auto plans = plans_of(problem, ranks, {.same_spin = same_spin});
      for (int rank = 0; rank < ranks; ++rank) {
        for (int layout = 0; layout < 2; ++layout) {
          const direct::Side side(problem.host.tables(), layout, {ranks, rank});
          for (int d = 0; d < side.minor.count(); ++d) {
            for (int c = 0; c < side.major.count(); ++c) {
              if (side.layout.row(d, c) < 0) continue;
              const auto& large_of = plans[rank].same_spin.large_of;
              const std::array<std::int64_t, 2> expected{large_of[layout][c] < 0 ? 1 : 0,
                                                         large_of[1 - layout][d] < 0 ? 0 : 1};
              for (std::int32_t k = side.own.range(c).first; k < side.own.range(c).last; ++k)
                EXPECT_EQ(count_same_spin(plans[rank], side, d, c, k), expected);
            }
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, RankedPlans, ::testing::ValuesIn(cisolve::test::small_product_spaces()));
INSTANTIATE_TEST_SUITE_P(
    Shapes, RankedPlans,
    ::testing::Values(Shape{.orbitals = 10, .alpha = 5, .beta = 5, .irrep = 0, .num_irreps = 4},
                      Shape{.orbitals = 10, .alpha = 4, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4},
                      Shape{.orbitals = 9, .alpha = 4, .beta = 4, .level = 5, .num_irreps = 2},
                      cisolve::test::bounded(
                          {.orbitals = 8, .alpha = 4, .beta = 3, .level = 4, .irrep = 1, .num_irreps = 4},
                          {2, 1}, {3, 2}),
                      cisolve::test::bounded(
                          {.orbitals = 8, .alpha = 4, .beta = 4, .irrep = 0, .num_irreps = 4, .zeros = 0.3},
                          {5, 4}, {5, 3})));

}  // namespace test_ranked_plan
}  // namespace cisolve::cuda
