// SPDX-License-Identifier: MIT
#include "cisolve/core/lowest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cisolve {
namespace test_lowest {

TEST(LowestElements, AreInOrderAndEqualOnesByPlace) {
  const std::vector<double> values = {3.0, -1.0, 2.0, -1.0, 5.0, 0.0};
  EXPECT_EQ(lowest_elements(values, 4), (std::vector<std::int64_t>{1, 3, 5, 2}));
  EXPECT_EQ(lowest_elements(values, 1), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(lowest_elements(values, 9).size(), 6u);
  EXPECT_TRUE(lowest_elements(values, 0).empty());
}

/// More elements than a thread takes at a time, in pieces of any length.
TEST(LowestElements, DoNotDependOnPieces) {
  std::vector<double> values(700'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::floor(1e4 * std::sin(static_cast<double>(i * i)));
  std::vector<std::int64_t> expected(values.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::int64_t a, std::int64_t b) { return values[a] < values[b]; });
  expected.resize(100);
  EXPECT_EQ(lowest_elements(values, 100), expected);
  LowestElements lowest(100);
  const std::span<const double> all = values;
  for (std::size_t first = 0; first < values.size(); first += 123'457) {
    lowest.add(all.subspan(first, std::min<std::size_t>(123'457, values.size() - first)),
               static_cast<std::int64_t>(first));
  }
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(lowest.found()[k].second, expected[k]);
}

}  // namespace test_lowest
}  // namespace cisolve
