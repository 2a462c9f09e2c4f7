// SPDX-License-Identifier: MIT
#include "cisolve/sampling/series.hpp"

#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "sampling/autoregressive.hpp"

namespace cisolve {
namespace test_series {

constexpr std::int64_t ten_values_of_three_chains = 3 * 10 * 8;

/// Means of blocks as a tree of pairs: what neighbours averaged again and again are.
double tree_mean(std::span<const double> values) {
  if (values.size() == 1) return values.front();
  const std::size_t half = values.size() / 2;
  return 0.5 * (tree_mean(values.first(half)) + tree_mean(values.last(half)));
}

std::vector<double> values_of(const SeriesView& view) {
  std::vector<double> values;
  for (int c = 0; c < view.chains(); ++c) {
    values.insert(values.end(), view.chain(c).begin(), view.chain(c).end());
  }
  return values;
}

TEST(ChainSeries, KeepsEveryMeasurementBelowItsLimit) {
  const std::vector<double> values = autoregressive(0.5, 3, 10, 1);
  const ChainSeries series = series_of(values, 3, ten_values_of_three_chains);
  EXPECT_EQ(series.averaged(), 1);
  EXPECT_EQ(series.measurements(), 10);
  EXPECT_EQ(values_of(series.view()), values);
  const ChainSeries one_more = series_of(autoregressive(0.5, 3, 11, 1), 3, ten_values_of_three_chains);
  EXPECT_EQ(one_more.averaged(), 2) << "the eleventh doesn't fit";
  EXPECT_EQ(one_more.view().length(), 5);
}

/// 107 = 6 x 16 + 8 + 2 + 1 measurements, of which 10 fit.
TEST(ChainSeries, AveragesNeighboursAndKeepsTheRest) {
  const std::vector<double> values = autoregressive(0.5, 3, 107, 2);
  const ChainSeries series = series_of(values, 3, ten_values_of_three_chains);
  const SeriesState state = series.state();
  EXPECT_EQ(state.averaged, 16);
  ASSERT_EQ(state.values.size(), 3u * 6u);
  ASSERT_EQ(state.pending.size(), 3u * 4u);
  const SeriesView all(values, 3);
  for (int c = 0; c < 3; ++c) {
    const auto chain = all.chain(c);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(series.view().chain(c)[k], tree_mean(chain.subspan(16 * k, 16))) << c << ' ' << k;
    }
    const double* pending = state.pending.data() + 4 * c;
    EXPECT_EQ(pending[3], tree_mean(chain.subspan(96, 8)));
    EXPECT_EQ(pending[2], 0.0) << "107 holds no 4";
    EXPECT_EQ(pending[1], tree_mean(chain.subspan(104, 2)));
    EXPECT_EQ(pending[0], chain[106]);
    const ChainTotals totals = series.totals()[static_cast<std::size_t>(c)];
    double sum = 0.0;
    for (const double value : chain) sum += value;
    EXPECT_EQ(totals.count, 107);
    EXPECT_NEAR(totals.mean(), sum / 107, 1e-14) << "107 roundings of numbers about 1";
  }
}

/// Blocks of any length give the same bits, at every number of measurements.
TEST(ChainSeries, DoesNotDependOnBlocks) {
  const std::vector<double> values = autoregressive(0.5, 3, 300, 3);
  const SeriesView all(values, 3);
  ChainSeries singly(3, ten_values_of_three_chains);
  for (int m = 1; m <= 300; ++m) {
    for (int c = 0; c < 3; ++c) singly.append(c, all.part(m - 1, 1).chain(c));
    ChainSeries at_once(3, ten_values_of_three_chains), in_blocks(3, ten_values_of_three_chains);
    for (int c = 2; c >= 0; --c) {
      const auto chain = all.part(0, m).chain(c);
      at_once.append(c, chain);
      for (std::size_t first = 0; first < chain.size(); first += 7) {
        in_blocks.append(c, chain.subspan(first, std::min<std::size_t>(7, chain.size() - first)));
      }
    }
    ASSERT_TRUE(singly.state() == at_once.state()) << m;
    ASSERT_TRUE(singly.state() == in_blocks.state()) << m;
    ASSERT_LE(singly.view().length(), 10) << m;
  }
}

TEST(ChainSeries, GoesOnFromItsStateToTheLastBit) {
  const std::vector<double> values = autoregressive(0.5, 3, 300, 4);
  const ChainSeries uninterrupted = series_of(values, 3, ten_values_of_three_chains);
  for (const std::int64_t stop : {0, 1, 10, 11, 107, 160, 299, 300}) {
    const SeriesView before = SeriesView(values, 3).part(0, stop);
    const SeriesView after = SeriesView(values, 3).part(stop, 300 - stop);
    ChainSeries first(3, ten_values_of_three_chains);
    for (int c = 0; c < 3; ++c) first.append(c, before.chain(c));
    ChainSeries second(first.state(), ten_values_of_three_chains);
    EXPECT_TRUE(second.state() == first.state()) << stop;
    for (int c = 0; c < 3; ++c) second.append(c, after.chain(c));
    EXPECT_TRUE(second.state() == uninterrupted.state()) << stop;
  }
}

/// A restart with less memory is what a run with less memory is.
TEST(ChainSeries, IsAveragedFurtherUnderASmallerLimit) {
  const std::vector<double> values = autoregressive(0.5, 3, 300, 5);
  const ChainSeries large = series_of(values, 3, 10 * ten_values_of_three_chains);
  EXPECT_EQ(large.averaged(), 4);
  const ChainSeries small(large.state(), ten_values_of_three_chains);
  EXPECT_TRUE(small.state() == series_of(values, 3, ten_values_of_three_chains).state());
  const ChainSeries larger(small.state(), 10 * ten_values_of_three_chains);
  EXPECT_TRUE(larger.state() == small.state()) << "what was averaged stays so";
}

TEST(ChainSeries, TakesChainsFromSeveralThreads) {
  const int chains = 50;
  const std::vector<double> values = autoregressive(0.5, chains, 1000, 6);
  const SeriesView all(values, chains);
  ChainSeries series(chains, chains * 100 * 8);
  parallel_for(chains, 1, [&](std::int64_t c) {
    const int chain = static_cast<int>(c);
    series.append(chain, all.chain(chain));
  });
  EXPECT_TRUE(series.state() == series_of(values, chains, chains * 100 * 8).state());
}

TEST(ChainSeries, RefusesWhatDoesNotFit) {
  EXPECT_THROW(ChainSeries(0), DimensionError);
  EXPECT_THROW(ChainSeries(1, 0), DimensionError);
  ChainSeries series(2);
  const std::vector<double> values = {1.0, 2.0};
  EXPECT_THROW(series.append(2, values), DimensionError);
  EXPECT_THROW(series.append(-1, values), DimensionError);
  series.append(0, values);
  EXPECT_THROW(series.view(), DimensionError) << "chain 1 has not measured";
  EXPECT_THROW(series.state(), DimensionError);
  series.append(1, values);
  SeriesState state = series.state();
  state.averaged = 3;
  EXPECT_THROW(ChainSeries{state}, DimensionError);
  state.averaged = 2;
  EXPECT_THROW(ChainSeries{state}, DimensionError) << "values of single measurements";
  state.averaged = 1;
  EXPECT_NO_THROW(ChainSeries{state});
  state.sums.pop_back();
  EXPECT_THROW(ChainSeries{state}, DimensionError);
}

TEST(SeriesView, CutsPartsAndRefusesUnequalChains) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const SeriesView view(values, 2);
  EXPECT_EQ(view.length(), 3);
  EXPECT_EQ(view.size(), 6);
  EXPECT_EQ(values_of(view.part(1, 2)), (std::vector<double>{2, 3, 5, 6}));
  EXPECT_THROW(view.part(2, 2), DimensionError);
  EXPECT_THROW(SeriesView(values, 4), DimensionError);
  EXPECT_THROW(SeriesView(values, 0), DimensionError);
  EXPECT_THROW(SeriesView(values, 1, 0), DimensionError);
}

}  // namespace test_series
}  // namespace cisolve
