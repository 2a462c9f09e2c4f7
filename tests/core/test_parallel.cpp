// SPDX-License-Identifier: MIT
#include "cisolve/core/parallel.hpp"

#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace cisolve {
namespace test_parallel {

TEST(ParallelFor, VisitsEveryValueOnce) {
  for (const std::int64_t count : {0, 1, 7, 1000}) {
    std::vector<int> visits(count, 0);
    parallel_for(count, 3, [&](std::int64_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
  }
}

TEST(ParallelFor, AnExceptionReachesTheCaller) {
  const auto refuse_one = [](std::int64_t i) {
    if (i == 17) throw std::bad_alloc();
  };
  EXPECT_THROW(parallel_for(100, 1, refuse_one), std::bad_alloc);
}

}  // namespace test_parallel
}  // namespace cisolve
