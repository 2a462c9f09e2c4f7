// SPDX-License-Identifier: MIT
#include "cisolve/sparse/ell_width.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/paper_bytes.hpp"

namespace cisolve {
namespace {

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

TEST(PaperBytes, HybridOfMatrix1IsWhatThePaperPrints) {
  // Table 3 and Table 5: 374,089,620 bytes, printed as 356.76 MiB.
  const std::int64_t bytes = paper_hybrid_bytes(32768, 655, 9678327);
  EXPECT_EQ(bytes, 374089620);
  EXPECT_NEAR(static_cast<double>(bytes) / (1 << 20), 356.76, 0.005);
  EXPECT_EQ(655 * 32768 + 9678327, 31141367);  // Table 3: all nonzeros; no row shorter than 655
}

TEST(PaperBytes, FormulaeOfTheTable) {
  EXPECT_EQ(paper_csr_bytes(3, 6), 6 * 8 + 6 * 4 + 4 * 4);
  EXPECT_EQ(paper_ell_bytes(3, 5), 3 * 5 * 12);
  EXPECT_EQ(paper_ell_r_bytes(3, 5), 3 * 5 * 12 + 3 * 4);
  const std::vector<std::int64_t> lengths = {1, 4, 0, 2, 7};
  EXPECT_EQ(paper_sliced_ell_bytes(lengths, 2), 12 * (2 * 4 + 2 * 2 + 1 * 7));
  EXPECT_EQ(paper_sliced_ell_bytes(lengths, 100), paper_ell_bytes(5, 7));
  EXPECT_EQ(paper_sliced_ell_r_bytes(lengths, 2), paper_sliced_ell_bytes(lengths, 2) + 4 * 5);
  EXPECT_EQ(paper_sliced_ell_bytes({}, 32), 0);
  EXPECT_THROW(paper_sliced_ell_bytes(lengths, 0), DimensionError);
}

}  // namespace
}  // namespace cisolve
