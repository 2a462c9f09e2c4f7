// SPDX-License-Identifier: MIT
// What devices share of H and S, without a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda/lapw/panel.hpp"
#include "cuda/lapw/panel_device.hpp"

namespace cisolve::cuda::lapw {
namespace test_lapw_panels {

using cisolve::lapw::LineRecord;

TEST(LapwPanels, CoverTheColumnsOnce) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 100, 1000, 9273}) {
    for (const int count : {1, 2, 3, 4, 8, 64}) {
      const std::vector<Panel> panels = column_panels(n, count);
      ASSERT_FALSE(panels.empty());
      EXPECT_LE(static_cast<int>(panels.size()), count);
      std::int64_t next = 0;
      for (const Panel& panel : panels) {
        EXPECT_EQ(panel.first, next);
        EXPECT_GT(panel.columns, 0);
        next += panel.columns;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(LapwPanels, AreOfAboutEqualAreas) {
  constexpr std::int64_t n = 9273;
  for (const int count : {2, 4, 8}) {
    const std::vector<Panel> panels = column_panels(n, count);
    ASSERT_EQ(static_cast<int>(panels.size()), count);
    const double mean = 0.5 * n * n / count;
    for (const Panel& panel : panels) {
      const auto rows = static_cast<double>(n - panel.first), columns = static_cast<double>(panel.columns);
      const double area = columns * (rows - 0.5 * columns);
      EXPECT_NEAR(area / mean, 1.0, 0.14) << count << " panels, from " << panel.first;
    }
  }
}

TEST(LapwPanels, OneIsTheWholeTriangle) {
  const std::vector<Panel> panels = column_panels(777, 1);
  ASSERT_EQ(panels.size(), 1);
  EXPECT_EQ(panels[0].columns, 777);
}

TEST(LapwPanels, StepsSideBySideAreThoseOfTheSlowest) {
  const std::vector<LineRecord> lines =
      side_by_side({{{"tables", 1.0, 0.0}, {"H", 2.0, 10.0}},
                    {{"tables", 1.5, 0.0}, {"H", 1.0, 5.0}, {"to the first GPU", 0.25, 0.0}}},
                   4.0);
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(lines[0].name, "tables");
  EXPECT_EQ(lines[0].seconds, 1.0);
  EXPECT_EQ(lines[1].seconds, 2.0);
  EXPECT_EQ(lines[1].flops, 15.0);
  EXPECT_EQ(lines[2].name, "to the first GPU");
  EXPECT_EQ(lines[2].seconds, 0.0);
  EXPECT_EQ(lines[3].seconds, 1.0);
}

}  // namespace test_lapw_panels
}  // namespace cisolve::cuda::lapw
