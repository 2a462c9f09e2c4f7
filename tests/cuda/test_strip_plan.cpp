// SPDX-License-Identifier: MIT
// Plans of direct products by ranks that gather x in strips, which are made without a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cuda/ranked_plans.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve::cuda {
namespace test_strip_plan {

using namespace ranked_plans;
using Problem = cisolve::test::DirectProblem;
using Shape = cisolve::test::SpaceShape;

/// What a warp adds to a row of y from a tile of columns of x: the tile's first column, then where it lies in x whole, pairs,
/// excitations and the words of all walks.
using TileSums = std::vector<std::int64_t>;

/// Of every row of y, from all tiles.
std::map<Row, std::vector<TileSums>> tile_sums(const direct::DirectPlan& plan, const Problem& problem,
                                               const StringShares& shares) {
  const auto rows = rows_of_y(problem, shares);
  std::map<Row, std::vector<TileSums>> result;
  const direct::LongRowArrays<direct::HostArray>& a = plan.long_rows.arrays;
  const auto add = [&](const direct::RowTask& task, const direct::SourceStrip* strip) {
    const direct::LongBlock& block = a.blocks[task.block];
    const Row row = rows.at({block.layout, block.y + std::int64_t{task.string} * block.stride});
    for (int k = block.first_item; k < block.last_item; ++k) {
      direct::LongItem item = a.items[k];
      std::int64_t column = 0;
      if (strip != nullptr) {
        EXPECT_EQ(item.source, 0);
        EXPECT_EQ(item.stride, strip->columns);
        item.source = problem.host.tables().alpha_major.panels[strip->panel].offset;
        column = strip->first_column;
      }
      for (int first = 0, tile = 0; first < item.stride; first += direct::long_columns, ++tile) {
        TileSums sums = sums_of(plan, item, task.string);
        sums.insert(sums.begin(), column + first);
        for (int warp = 0; warp < direct::long_warps; ++warp) {
          const direct::Walk walk = a.walks[item.first_walk + tile * direct::long_warps + warp];
          const auto words = a.words.begin() + std::int64_t{walk.first} * direct::warp_size;
          sums.insert(sums.end(), words, words + std::int64_t{walk.size} * direct::warp_size);
        }
        result[row].push_back(sums);
      }
    }
  };
  std::int64_t met = 0;
  for (std::size_t k = 0; k < plan.strips.size(); ++k) {
    const direct::TaskSpan span = plan.long_rows.of_strips.at(k);
    EXPECT_EQ(span.first, met);
    met += span.count;
    for (std::int64_t t = span.first; t < met; ++t) add(a.tasks[t], &plan.strips[k]);
  }
  if (plan.strips.empty()) {
    for (const direct::RowTask& task : a.tasks) add(task, nullptr);
  } else {
    EXPECT_EQ(met, std::ssize(a.tasks));
  }
  for (auto& [row, sums] : result) std::ranges::sort(sums);
  return result;
}

/// Every class projected, every row long: as narrow strips as there are, or x whole.
DirectConfig whole_x() { return {.least_long_columns = 0, .same_spin = SameSpin::projected}; }
DirectConfig narrow_strips() {
  DirectConfig config = whole_x();
  config.most_strip_bytes = 1;
  return config;
}

class RankedStrips : public ::testing::TestWithParam<Shape> {
protected:
  /// body(problem) without a parity, and with one if there is one.
  template <class Body>
  static void for_each_parity(const Body& body) {
    const Problem problem(GetParam());
    body(problem);
    if (problem.host.tables().exchange_symmetric) body(Problem(GetParam(), SpinParity::even));
  }
};

TEST_P(RankedStrips, AddTheSameTiles) {
  for_each_parity([](const Problem& problem) {
    for (const int ranks : {1, 3}) {
      const auto in_strips = plans_of(problem, ranks, narrow_strips());
      const auto whole = plans_of(problem, ranks, whole_x());
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_GT(in_strips[rank].strips.size(), 1U);
        EXPECT_TRUE(whole[rank].strips.empty());
        const StringShares shares{ranks, rank};
        const auto expected = tile_sums(whole[rank], problem, shares);
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(tile_sums(in_strips[rank], problem, shares), expected);
        EXPECT_LT(in_strips[rank].vectors.strip, whole[rank].vectors.x[0]);
        EXPECT_EQ(in_strips[rank].vectors.x[0], in_strips[rank].vectors.y[0]);
      }
    }
  });
}

TEST_P(RankedStrips, AreGatheredFromOwnRows) {
  for_each_parity([](const Problem& problem) {
    const std::vector<double> whole = numbers_by_alpha(problem);
    const BlockLayout& layout = problem.host.tables().alpha_major;
    for (const int ranks : {1, 2, 3, 7}) {
      const Ranks all{plans_of(problem, ranks, narrow_strips())};
      std::vector<int> met(whole.size(), 0);
      for (std::size_t k = 0; k < all.plans[0].strips.size(); ++k) {
        std::vector<std::vector<double>> gathered;
        for (int rank = 0; rank < ranks; ++rank) {
          const direct::DirectPlan& plan = all.plans[rank];
          const direct::SourceStrip& strip = plan.strips.at(k);
          const RowMap map = rows_of(problem.space, problem.host.tables().blocks, {ranks, rank});
          std::vector<double> x(plan.vectors.x[0], -1.0);
          for_each_row(plan.layout, [&](std::int64_t row, const auto& tile, int i, int j) {
            EXPECT_EQ(tile.by_alpha, tile.y);
            x.at(tile.by_alpha + std::int64_t{i} * tile.alpha_stride + j) =
                static_cast<double>(map.global(row));
          });
          gathered.emplace_back(plan.vectors.strip, -2.0);
          for (const direct::StripRows& own : strip.own) {
            for (std::int64_t i = 0; i < own.rows; ++i) {
              for (int j = 0; j < strip.columns; ++j)
                gathered.back().at(own.to + i * strip.columns + j) =
                    x.at(own.from + i * strip.panel_stride + j);
            }
          }
        }
        all.exchange_pieces([k](const auto& plan) { return plan.strips[k].give; },
                            [k](const auto& plan) { return plan.strips[k].take; }, gathered);
        const direct::SourceStrip& strip = all.plans[0].strips[k];
        const BlockLayout::Panel& panel = layout.panels[strip.panel];
        for (std::int64_t i = 0; i < panel.rows; ++i) {
          for (int j = 0; j < strip.columns; ++j) {
            const std::int64_t from = panel.offset + i * panel.stride + strip.first_column + j;
            ++met.at(from);
            for (const auto& of_rank : gathered) EXPECT_EQ(of_rank.at(i * strip.columns + j), whole[from]);
          }
        }
      }
      EXPECT_EQ(met, std::vector<int>(met.size(), 1));
    }
  });
}

TEST_P(RankedStrips, NeedNoListsOfSameSpinDoubles) {
  const Problem problem(GetParam());
  const cisolve::DirectProduct lean(problem.space, problem.tables, {}, SpinParity::none,
                                    OwnDoubles::left_out);
  EXPECT_LT(lean.tables().bytes(), problem.host.tables().bytes());
  const StringShares shares{3, 1};
  const direct::DirectPlan plan(lean, narrow_strips(), &shares);
  const direct::DirectPlan expected(problem.host, narrow_strips(), &shares);
  EXPECT_EQ(plan.device_bytes(), expected.device_bytes());
  EXPECT_EQ(plan.vectors.bytes(), expected.vectors.bytes());
  EXPECT_EQ(tile_sums(plan, problem, shares), tile_sums(expected, problem, shares));
}

TEST_P(RankedStrips, LeaveRowsByBetaToAnExchange) {
  const Problem problem(GetParam());
  const DirectTables& tables = problem.host.tables();
  const std::vector<double> whole = numbers_by_alpha(problem);
  for (const int ranks : {1, 2, 3, 7}) {
    const Ranks all{plans_of(problem, ranks, narrow_strips())};
    std::vector<std::vector<double>> buffers;
    for (int rank = 0; rank < ranks; ++rank) {
      const RowMap map = rows_of(problem.space, tables.blocks, {ranks, rank});
      ASSERT_TRUE(all.plans[rank].uses_layout_1);
      buffers.emplace_back(all.plans[rank].vectors.exchanged, -1.0);
      for_each_row(all.plans[rank].layout, [&](std::int64_t row, const auto& tile, int i, int j) {
        buffers.back().at(tile.by_beta + std::int64_t{j} * tile.beta_stride + i) =
            static_cast<double>(map.global(row));
      });
    }
    all.exchange(&direct::ExchangePlan::take_columns, &direct::ExchangePlan::give_columns, buffers);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<double> x1(all.plans[rank].vectors.x[1], -1.0);
      copy(all.plans[rank].exchange->unpack_x, false, buffers[rank], x1);
      const direct::Side by_alpha(tables, 0);
      for (const auto& [at, row] : rows_of_y(problem, {ranks, rank})) {
        const auto [layout, alpha_class, beta_class, beta] = row;
        if (layout == 0) continue;
        for (std::int32_t alpha = 0; alpha < by_alpha.major.size(alpha_class); ++alpha) {
          const std::int64_t from =
              by_alpha.first_element(beta_class, alpha_class) + alpha * by_alpha.panel(beta_class).stride;
          EXPECT_EQ(x1.at(at.second + alpha), whole.at(from + beta));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RankedStrips,
    ::testing::Values(Shape{.orbitals = 10, .alpha = 5, .beta = 5},
                      Shape{.orbitals = 12, .alpha = 4, .beta = 4, .irrep = 0, .num_irreps = 2},
                      Shape{.orbitals = 11, .alpha = 5, .beta = 4, .irrep = 1, .num_irreps = 2}));

TEST(RankedStripPlans, SayWhyXStaysWhole) {
  const auto why = [](const Shape& shape, const DirectConfig& config) {
    const Problem problem(shape);
    const StringShares shares{2, 0};
    const direct::DirectPlan plan(problem.host, config, &shares);
    EXPECT_EQ(plan.strips.empty(), config.most_strip_bytes == 0 || !plan.why_whole.empty());
    EXPECT_EQ(plan.vectors.strip > 0, !plan.strips.empty());
    return plan.why_whole;
  };
  const Shape full{.orbitals = 10, .alpha = 5, .beta = 5};
  EXPECT_EQ(why(full, whole_x()), "");
  EXPECT_EQ(why(full, narrow_strips()), "");
  const Shape truncated{.orbitals = 10, .alpha = 4, .beta = 4, .level = 4};
  EXPECT_THAT(why(truncated, narrow_strips()), ::testing::HasSubstr("same-spin sums over rows of all ranks"));
  const Shape few_betas{.orbitals = 13, .alpha = 6, .beta = 2};
  EXPECT_THAT(why(few_betas, narrow_strips()), ::testing::HasSubstr("opposite-spin sums"));
}

}  // namespace test_strip_plan
}  // namespace cisolve::cuda
