// SPDX-License-Identifier: MIT
#include "cisolve/sparse/column_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace cisolve {
namespace test_column_sort {

TEST(ColumnSort, SortsRowsOfAllKinds) {
  std::mt19937_64 engine(3);
  for (const std::int64_t columns :
       {std::int64_t{1}, std::int64_t{30}, std::int64_t{511}, std::int64_t{512}, std::int64_t{5000},
        std::int64_t{1} << 20, (std::int64_t{1} << 31) - 1}) {
    ColumnSort sort(columns);
    for (const std::int64_t size : {0, 1, 2, 24, 25, 300, 4000}) {
      if (size > columns) continue;
      for (const bool crowded : {false, true}) {  // crowded: all in one stretch, as far as there is room
        const std::int64_t room =
            crowded ? std::min(columns, std::max<std::int64_t>(size, columns / 600)) : columns;
        std::vector<std::uint64_t> elements;
        for (std::int64_t at = 0; at < size; ++at) {
          const auto column =
              static_cast<std::uint64_t>(columns - 1 - at * (room / std::max<std::int64_t>(size, 1)));
          elements.push_back((column << 32) | (engine() & 0xffffffffU));
        }
        std::shuffle(elements.begin(), elements.end(), engine);
        std::vector<std::uint64_t> expected = elements;
        std::sort(expected.begin(), expected.end());
        sort.sort(elements);
        ASSERT_EQ(elements, expected) << size << " of " << columns << " columns, crowded " << crowded;
      }
    }
  }
}

}  // namespace test_column_sort
}  // namespace cisolve
