// SPDX-License-Identifier: MIT
#include "cisolve/sampling/jackknife.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "sampling/autoregressive.hpp"

namespace cisolve {
namespace test_jackknife {

std::vector<double> ratio(std::span<const double> means) { return {means[0] / means[1]}; }
std::vector<double> same(std::span<const double> means) { return {means.begin(), means.end()}; }

/// Of a mean the jackknife is sd / sqrt(groups), in exact arithmetic.
TEST(Jackknife, OfAMeanIsItsStandardError) {
  GroupSums groups{2, {}, {}};
  const std::vector<double> sums = {3.0, 5.0, 4.0, 8.0};  // of two measurements each
  for (const double sum : sums) groups.add(2.0, std::vector<double>{sum, 1e6 * sum});
  const JackknifeResult found = jackknife(groups, same);
  ASSERT_EQ(found.values.size(), 2u);
  EXPECT_DOUBLE_EQ(found.values[0], 2.5);
  // Means 1.5, 2.5, 2, 4 about 2.5: squares 1 + 0 + 0.25 + 2.25 = 3.5.
  EXPECT_NEAR(found.errors[0], std::sqrt(3.5 / 3.0 / 4.0), 1e-15);
  EXPECT_NEAR(found.errors[1], 1e6 * std::sqrt(3.5 / 3.0 / 4.0), 1e-9);
}

/// x = 2 + g, y = 4 + 0.5 g + h: by the propagation of errors var(x/y) = [1 - 2 r 0.5 + r^2 (1 + 0.25)] / (16 n), r
/// = 1/2. With 100 groups the error is known to 1 / sqrt(200), the mean of its square over 100 seeds to a seventh
/// of a percent x 100 / 10 = 1.4%; second order of the propagation is 1 / (16 n) = 1e-4 of it.
TEST(Jackknife, OfARatioIsItsAnalyticError) {
  const int groups_count = 100, measurements = 5;
  const double n = groups_count * measurements, r = 0.5;
  const double exact = (1.0 - r + r * r * 1.25) / (16.0 * n);
  double squares = 0.0;
  std::vector<double> z;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    NormalNumbers normal(seed);
    GroupSums groups{2, {}, {}};
    for (int g = 0; g < groups_count; ++g) {
      double x = 0.0, y = 0.0;
      for (int k = 0; k < measurements; ++k) {
        const double one = normal.next();
        x += 2.0 + one;
        y += 4.0 + 0.5 * one + normal.next();
      }
      groups.add(measurements, std::vector<double>{x, y});
    }
    const JackknifeResult found = jackknife(groups, ratio);
    squares += found.errors[0] * found.errors[0] / 100.0;
    z.push_back((found.values[0] - 0.5) / found.errors[0]);
  }
  EXPECT_NEAR(squares / exact, 1.0, 4.0 * 0.014);
  EXPECT_NEAR(moments_of(z).mean, 0.0, 0.4) << "4 / sqrt(100)";
  EXPECT_NEAR(moments_of(z).variance, 1.0, 4.0 * std::sqrt(2.0 / 100.0));
}

TEST(Jackknife, TakesChainsOrBinsAsGroups) {
  EXPECT_EQ(jackknife_bins(16), 1);
  EXPECT_EQ(jackknife_bins(15), 16);
  std::vector<double> values(2 * 35);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  const std::vector<SeriesView> few = {SeriesView(values, 2), SeriesView(values, 2)};
  const GroupSums bins = group_series(few);
  ASSERT_EQ(bins.counts.size(), 32u);
  EXPECT_EQ(bins.components, 2);
  double count = 0.0, sum = 0.0;
  for (std::size_t g = 0; g < 32; ++g) {
    EXPECT_TRUE(bins.counts[g] == 2.0 || bins.counts[g] == 3.0) << g;
    EXPECT_EQ(bins.sums[2 * g], bins.sums[2 * g + 1]);
    count += bins.counts[g];
    sum += bins.sums[2 * g];
  }
  EXPECT_EQ(count, 70.0);
  EXPECT_EQ(sum, 69.0 * 70.0 / 2.0);
  EXPECT_EQ(bins.sums[0], 0.0 + 1.0) << "the first bin of chain 0";
  EXPECT_EQ(bins.sums[2 * 31], 67.0 + 68.0 + 69.0) << "the last of chain 1";
  values.resize(64);
  const GroupSums chains = group_series(std::vector<SeriesView>{SeriesView(values, 16)});
  ASSERT_EQ(chains.counts.size(), 16u);
  EXPECT_EQ(chains.sums[1], 4.0 + 5.0 + 6.0 + 7.0);
}

TEST(Jackknife, OfDegenerateGroups) {
  GroupSums groups{1, {}, {}};
  EXPECT_THROW(jackknife(groups, same), DimensionError) << "nothing measured";
  groups.add(3.0, std::vector<double>{6.0});
  EXPECT_EQ(jackknife(groups, same).values[0], 2.0);
  EXPECT_TRUE(std::isnan(jackknife(groups, same).errors[0])) << "one group has no spread";
  groups.add(0.0, std::vector<double>{0.0});
  EXPECT_TRUE(std::isnan(jackknife(groups, same).errors[0])) << "an empty group is none";
  groups.add(1.0, std::vector<double>{2.0});
  EXPECT_EQ(jackknife(groups, same).errors[0], 0.0) << "groups of the same mean";
  EXPECT_THROW(groups.add(1.0, std::vector<double>{1.0, 2.0}), DimensionError);
  EXPECT_THROW(group_series({}), DimensionError);
  const std::vector<double> values(6, 1.0);
  EXPECT_THROW(group_series(std::vector<SeriesView>{SeriesView(values, 2), SeriesView(values, 3)}),
               DimensionError);
}

}  // namespace test_jackknife
}  // namespace cisolve
