// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/row_map.hpp"

namespace cisolve::test {
namespace test_row_map {

using Slabs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Rows of a map, found by asking for each.
std::vector<std::int64_t> rows_of_map(const RowMap& map) {
  std::vector<std::int64_t> rows;
  for (std::int64_t local = 0; local < map.local_rows(); ++local) rows.push_back(map.global(local));
  return rows;
}

/// Every member agrees with the rows that a map should have.
void expect_rows(const RowMap& map, std::int64_t all, const std::vector<std::int64_t>& expected) {
  EXPECT_EQ(map.rows(), all);
  EXPECT_EQ(rows_of_map(map), expected);  // and so ascending
  std::int64_t below = 0;
  for (std::int64_t row = 0; row < all; ++row) {
    const bool is_own = std::ranges::binary_search(expected, row);
    EXPECT_EQ(map.local_below(row), below) << row;
    EXPECT_EQ(map.local(row), is_own ? std::optional(below) : std::nullopt) << row;
    below += is_own ? 1 : 0;
  }
  EXPECT_EQ(map.local_below(all), below);
  EXPECT_EQ(map.local(all), std::nullopt);
  EXPECT_GE(map.bytes(), static_cast<std::int64_t>(map.slabs().size_bytes()));
}

/// for_each_within over all ranges gives the rows in them, in pieces that are as long as can be.
void expect_ranges(const RowMap& map) {
  for (std::int64_t first = 0; first <= map.rows(); ++first) {
    for (std::int64_t count = 0; first + count <= map.rows(); ++count) {
      std::int64_t local = map.local_below(first), end = -1;
      map.for_each_within(first, count, [&](std::int64_t row, std::int64_t first_local, std::int64_t number) {
        EXPECT_GT(number, 0);
        EXPECT_GE(row, first);
        EXPECT_GT(row, end) << "two pieces that touch";
        EXPECT_EQ(first_local, local);
        for (std::int64_t k = 0; k < number; ++k) EXPECT_EQ(map.local(row + k), first_local + k);
        local += number;
        end = row + number;
      });
      EXPECT_LE(end, first + count);
      EXPECT_EQ(local, map.local_below(first + count));
    }
  }
}

/// for_each_local over all ranges of own rows gives these, in as few pieces as there are slabs.
void expect_local_ranges(const RowMap& map) {
  for (std::int64_t first = 0; first <= map.local_rows(); ++first) {
    for (std::int64_t count = 0; first + count <= map.local_rows(); ++count) {
      std::int64_t expected = first, end = -1;
      map.for_each_local(first, count, [&](std::int64_t row, std::int64_t local, std::int64_t number) {
        EXPECT_GT(number, 0);
        EXPECT_GT(row, end) << "two pieces that touch";
        EXPECT_EQ(local, expected);
        for (std::int64_t k = 0; k < number; ++k) EXPECT_EQ(map.global(local + k), row + k);
        expected += number;
        end = row + number;
      });
      EXPECT_EQ(expected, first + count);
    }
  }
}

TEST(RowMap, OfScatteredSlabs) {
  const RowMap map(20, {{15, 3}, {2, 4}, {8, 1}, {10, 0}});
  ASSERT_EQ(map.slabs().size(), 3u);
  expect_rows(map, 20, {2, 3, 4, 5, 8, 15, 16, 17});
  expect_ranges(map);
  expect_local_ranges(map);
}

TEST(RowMap, JoinsSlabsThatTouch) {
  const RowMap map(12, {{4, 2}, {0, 1}, {1, 3}, {8, 2}, {10, 2}, {6, 0}});
  ASSERT_EQ(map.slabs().size(), 2u);
  EXPECT_EQ(map.slabs()[0].count, 6);
  EXPECT_EQ(map.slabs()[1].first_row, 8);
  EXPECT_EQ(map.slabs()[1].first_local, 6);
  EXPECT_EQ(map.slabs()[1].count, 4);
  expect_rows(map, 12, {0, 1, 2, 3, 4, 5, 8, 9, 10, 11});
  expect_ranges(map);
}

TEST(RowMap, OfAllRowsAndOfNone) {
  expect_rows(RowMap::whole(4), 4, {0, 1, 2, 3});
  expect_ranges(RowMap::whole(4));
  expect_local_ranges(RowMap::whole(4));
  for (const RowMap& map : {RowMap(5, {}), RowMap(5, {{3, 0}}), RowMap(5, {{5, 0}}), RowMap::even(5, 7, 6)}) {
    EXPECT_TRUE(map.slabs().empty());
    expect_local_ranges(map);
    expect_rows(map, 5, {});
    expect_ranges(map);
  }
  expect_rows(RowMap::whole(0), 0, {});
  expect_rows(RowMap(), 0, {});
}

TEST(RowMap, EvenPartsHaveEachRowOnce) {
  for (const std::int64_t rows : {0, 1, 2, 3, 6, 7, 12, 13}) {
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const std::int64_t most = (rows + ranks - 1) / ranks;
      std::vector<std::int64_t> all;
      for (int rank = 0; rank < ranks; ++rank) {
        const RowMap map = RowMap::even(rows, ranks, rank);
        EXPECT_EQ(map.rows(), rows);
        EXPECT_LE(map.local_rows(), most);
        const std::vector<std::int64_t> own = rows_of_map(map);
        all.insert(all.end(), own.begin(), own.end());
      }
      EXPECT_EQ(all, rows_of_map(RowMap::whole(rows)));
    }
  }
}

// Each row goes to a random rank, in runs of random lengths: every row has one owner, and a place of its own there.
TEST(RowMap, OfSeveralRanksHaveEachRowOnce) {
  std::mt19937 random(5);
  for (const std::size_t ranks : {2u, 3u, 7u}) {
    std::vector<Slabs> slabs(ranks);
    std::vector<std::size_t> owner;
    while (owner.size() < 60) {
      const std::size_t rank = random() % (ranks - 1), count = 1 + random() % 5;  // the last has none
      slabs[rank].emplace_back(owner.size(), count);
      owner.insert(owner.end(), count, rank);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::ranges::shuffle(slabs[rank], random);
      std::vector<std::int64_t> expected;
      for (std::size_t row = 0; row < owner.size(); ++row) {
        if (owner[row] == rank) expected.push_back(static_cast<std::int64_t>(row));
      }
      const RowMap map(static_cast<std::int64_t>(owner.size()), slabs[rank]);
      expect_rows(map, static_cast<std::int64_t>(owner.size()), expected);
      expect_ranges(map);
    }
  }
}

TEST(RowMap, CountsBeyond32Bits) {
  const std::int64_t far = std::int64_t{1} << 40;
  const RowMap map(4 * far, {{3 * far, far}, {far, 5}});
  EXPECT_EQ(map.local_rows(), far + 5);
  EXPECT_EQ(map.global(far), 4 * far - 5);
  EXPECT_EQ(map.local(4 * far - 1), far + 4);
  EXPECT_EQ(RowMap::even(4 * far + 1, 4, 3).local_rows(), far - 2);
}

TEST(RowMap, RefusesSlabsThatOverlapOrReachBeyond) {
  for (const Slabs& slabs : {Slabs{{0, 3}, {2, 1}}, Slabs{{2, 4}, {0, 3}}, Slabs{{1, 1}, {1, 1}},
                             Slabs{{8, 3}}, Slabs{{-1, 2}}, Slabs{{3, -1}}, Slabs{{11, 1}}})
    EXPECT_THROW(RowMap(10, slabs), DimensionError);
}

}  // namespace test_row_map
}  // namespace cisolve::test
