// SPDX-License-Identifier: MIT
#include "cisolve/selection/extrapolation.hpp"

#include <gtest/gtest.h>

#include "io/json.hpp"

namespace cisolve {
namespace test_extrapolation {

TEST(Extrapolation, FindsTheLimitOfAPolynomial) {
  std::vector<SelectedPoint> points;
  for (const double e2 : {-0.08, -0.04, -0.02, -0.01}) points.push_back({-76.0 - 1.2 * e2, e2});
  ASSERT_TRUE(extrapolate(points));
  EXPECT_NEAR(extrapolate(points)->energy, -76.0, 1e-12);
  EXPECT_NEAR(extrapolate(points)->error, 0.2 * 0.01, 1e-12) << "the distance from the last E + E2";
  for (SelectedPoint& p : points) p.energy += 2.0 * p.second_order * p.second_order;
  EXPECT_NEAR(extrapolate(points)->energy, -76.0, 1e-12);
  EXPECT_NEAR(extrapolate(std::span(points).first(2))->energy, -76.0, 0.01);
}

TEST(Extrapolation, NeedsPoints) {
  const std::vector<SelectedPoint> points = {{-75.0, -0.1}, {-75.1, 0.0}};
  EXPECT_FALSE(extrapolate({}));
  EXPECT_FALSE(extrapolate(std::span(points).first(1)));
  EXPECT_FALSE(extrapolate(points)) << "nothing is left to be extrapolated";
  EXPECT_FALSE(extrapolate(std::vector<SelectedPoint>{{-75.0, -0.1}, {-75.0, -0.2}}))
      << "the correction grew";
  EXPECT_FALSE(extrapolate(std::vector<SelectedPoint>{{-75.0, -0.2}, {-75.1, 0.1}})) << "of intruders";
  EXPECT_FALSE(extrapolate(std::vector<SelectedPoint>{{-75.2, -0.2}, {-75.0, -0.1}})) << "above the bound";
}

/// Energies of a prototype against full CI: within the error that goes with them, and a tenth of a millihartree once five
/// points are there.
TEST(Extrapolation, OfMoleculesIsWithinItsError) {
  const nlohmann::json data = read_json("selected/ladders.json");
  int ladders = 0;
  for (const auto& ladder : data["ladders"]) {
    if (ladder["exact"].is_null()) continue;  // not known
    ++ladders;
    const double exact = ladder["exact"];
    std::vector<SelectedPoint> points;
    for (const auto& point : ladder["points"]) points.push_back({point["energy"], point["pt2"]});
    for (std::size_t count = 3; count <= points.size(); ++count) {
      const auto limit = extrapolate(std::span(points).first(count));
      ASSERT_TRUE(limit);
      EXPECT_LT(std::abs(limit->energy - exact), limit->error) << ladder["fcidump"] << ' ' << count;
    }
    EXPECT_LT(std::abs(extrapolate(points)->energy - exact), 1e-4) << ladder["fcidump"];
  }
  EXPECT_GE(ladders, 6);
}

}  // namespace test_extrapolation
}  // namespace cisolve
