// SPDX-License-Identifier: MIT
#include "cisolve/sparse/ell_width.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_ell_width {

/// The cost of a width as EllCostModel defines it.
double ell_cost(std::span<const std::int64_t> lengths, std::int64_t width, const EllCostModel& model) {
  std::int64_t slots = 0;
  std::int64_t tails = 0;
  for (const std::int64_t length : lengths) {
    slots += std::max(length, width);
    if (length > width) ++tails;
  }
  return model.bytes_per_slot * static_cast<double>(slots) +
         model.bytes_per_tail * static_cast<double>(tails);
}

TEST(EllWidth, CostIsBytesAndTails) {
  const std::vector<std::int64_t> lengths = {0, 3, 4, 9};
  // Width 4: four rows of four slots, and five nonzeros of one row in the tail.
  EXPECT_DOUBLE_EQ(ell_cost(lengths, 4, {.bytes_per_slot = 12, .bytes_per_tail = 100}), 12 * 21 + 100);
}

TEST(EllWidth, IsTheBestOfAll) {
  std::mt19937_64 engine(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> lengths(1 + engine() % 300);
    const std::uint64_t spread = 1 + engine() % 150;
    for (auto& length : lengths) length = static_cast<std::int64_t>(engine() % spread + engine() % spread);
    const EllCostModel model{.bytes_per_slot = 12.0, .bytes_per_tail = static_cast<double>(engine() % 2000)};
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    double best_cost = std::numeric_limits<double>::infinity();
    std::int64_t best = -1;
    for (std::int64_t width = 0; width < longest + ell_alignment; width += ell_alignment) {
      const double cost = ell_cost(lengths, width, model);
      if (cost < best_cost) {
        best_cost = cost;
        best = width;
      }
    }
    ASSERT_EQ(choose_ell_width(lengths, model), best) << "trial " << trial;
  }
}

TEST(EllWidth, RowsOfOneLengthNeedNoTail) {
  EXPECT_EQ(choose_ell_width(std::vector<std::int64_t>(50, 37)), 40);
}

TEST(EllWidth, OneLongRowGoesToTheTail) {
  std::vector<std::int64_t> lengths(1000, 16);
  lengths[7] = 1000;
  EXPECT_EQ(choose_ell_width(lengths), 16);
}

TEST(EllWidth, NoRowsOrEmptyRows) {
  EXPECT_EQ(choose_ell_width({}), 0);
  EXPECT_EQ(choose_ell_width(std::vector<std::int64_t>(5, 0)), 0);
}

TEST(EllWidth, ImpossibleLengthsAreRefused) {
  EXPECT_THROW(choose_ell_width(std::vector<std::int64_t>{3, -1}), DimensionError);
  EXPECT_THROW(choose_ell_width(std::vector<std::int64_t>{std::int64_t{1} << 31}), DimensionError);
}

}  // namespace test_ell_width
}  // namespace cisolve
