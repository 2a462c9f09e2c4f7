// SPDX-License-Identifier: MIT
#include "cisolve/sampling/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"
#include "sampling/autoregressive.hpp"

namespace cisolve {
namespace test_statistics {

SeriesStatistics statistics_of(const std::vector<double>& values, int chains) {
  return analyse_series(series_of(values, chains));
}

/// Two chains of four, by hand.
TEST(SeriesStatistics, OfAFewNumbers) {
  const SeriesStatistics found = statistics_of({1, 2, 3, 4, 5, 5, 3, 9}, 2);
  EXPECT_EQ(found.chains, 2);
  EXPECT_EQ(found.measurements, 4);
  EXPECT_DOUBLE_EQ(found.mean, 4.0);
  EXPECT_EQ(found.chain_means, (std::vector<double>{2.5, 5.5}));
  EXPECT_DOUBLE_EQ(found.variance, (9 + 4 + 1 + 0 + 1 + 1 + 1 + 25) / 7.0);
  EXPECT_DOUBLE_EQ(found.between_chains_error, 1.5) << "sd 3 / sqrt(2), divided by sqrt(2)";
  EXPECT_DOUBLE_EQ(found.autocorrelation_error, std::sqrt(2.0 * found.tau * found.variance / 8.0));
  EXPECT_EQ(found.error, found.autocorrelation_error) << "two chains say too little of their spread";
  EXPECT_DOUBLE_EQ(found.effective_samples, 4.0 / found.tau);
  EXPECT_TRUE(found.binning.empty()) << "eight bins";
}

/// Mean 0 known: 400 values of z have a mean of error 0.05 and a variance of error 0.07. Errors that are known to
/// 4% add 1% to the variance.
TEST(SeriesStatistics, ErrorsOfManySeriesAreRight) {
  std::vector<double> z, between_z;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const MeanEstimate found = estimate_mean(series_of(autoregressive(0.6, 8, 1000, seed), 8));
    z.push_back(found.mean / found.error);
    between_z.push_back(found.mean / found.between_chains_error);
  }
  EXPECT_NEAR(moments_of(z).mean, 0.0, 0.15);
  EXPECT_NEAR(moments_of(z).variance, 1.01, 0.2);
  EXPECT_NEAR(moments_of(between_z).variance, 7.0 / 5.0, 0.5) << "Student's t of 7 degrees of freedom";
}

TEST(SeriesStatistics, VarianceHasItsError) {
  // Of independent normal numbers var is 1 +- sqrt(2 / n); autocorrelation 0.6 makes it sqrt(2 / n (1 + .36) / (1 -
  // .36)).
  for (const int chains : {8, 40}) {
    const int length = 40'000 / chains;
    std::vector<double> z;
    double error = 0.0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const SeriesStatistics found = statistics_of(autoregressive(0.6, chains, length, seed), chains);
      z.push_back((found.variance - 1.0) / found.variance_error);
      error += found.variance_error / 100.0;
    }
    const double exact = std::sqrt(2.0 / 40'000 * 1.36 / 0.64);
    // 39 groups or more know it to 11%, a hundred of them to 1%; bins of 312 lose 1% to their borders.
    EXPECT_NEAR(error / exact, 1.0, 0.05) << chains;
    EXPECT_NEAR(moments_of(z).mean, 0.0, 0.4) << chains;
    EXPECT_NEAR(moments_of(z).variance, 1.0, 0.6) << chains;
  }
}

TEST(SeriesStatistics, TakesTheLargerErrorOfSixteenChains) {
  std::vector<double> values = autoregressive(0.0, 16, 2000, 1);
  const SeriesStatistics rest = statistics_of(values, 16);
  EXPECT_EQ(rest.error, std::max(rest.autocorrelation_error, rest.between_chains_error));
  EXPECT_FALSE(rest.errors_differ);
  // Each chain is displaced a little: autocorrelations up to a window of 3 hardly see it, the spread of chains does.
  for (std::size_t k = 0; k < values.size(); ++k) values[k] += k / 2000 % 2 == 0 ? 0.1 : -0.1;
  const SeriesStatistics displaced = statistics_of(values, 16);
  EXPECT_TRUE(displaced.errors_differ);
  EXPECT_EQ(displaced.error, displaced.between_chains_error);
  values.resize(15 * 2000);
  const SeriesStatistics fewer = statistics_of(values, 15);
  EXPECT_FALSE(fewer.errors_differ) << "fewer than 16 chains are not judged";
  EXPECT_EQ(fewer.error, fewer.autocorrelation_error);
}

/// Averaged neighbours lose nothing of mean and variance, and errors agree within the few percent that they are
/// known to.
TEST(SeriesStatistics, HardlyDependOnAveraging) {
  const int chains = 20, length = 5003;
  std::vector<double> values = autoregressive(0.9, chains, length, 5);
  for (double& value : values) value += 50.0;
  const SeriesStatistics full = statistics_of(values, chains);
  const SeriesStatistics averaged = analyse_series(series_of(values, chains, chains * 700 * 8));
  EXPECT_EQ(full.averaged, 1);
  EXPECT_EQ(averaged.averaged, 8);
  EXPECT_EQ(averaged.measurements, length);
  EXPECT_EQ(averaged.mean, full.mean);
  EXPECT_EQ(averaged.variance, full.variance);
  EXPECT_EQ(averaged.variance_error, full.variance_error);
  EXPECT_EQ(averaged.chain_means, full.chain_means);
  EXPECT_NEAR(averaged.autocorrelation_error / full.autocorrelation_error, 1.0, 0.06);
  EXPECT_NEAR(averaged.tau / full.tau, 1.0, 0.12);
  EXPECT_NEAR(full.tau, 9.5, 4.0 * full.tau_error);
  EXPECT_NEAR(averaged.tau, 9.5, 4.0 * averaged.tau_error);
  ASSERT_FALSE(averaged.binning.empty());
  EXPECT_EQ(averaged.binning[0].size, 8);
  EXPECT_NEAR(averaged.binning[0].error / full.binning[3].error, 1.0, 1e-3) << "three values fewer a chain";
}

TEST(SeriesStatistics, AreSameAfterRestart) {
  const std::vector<double> values = autoregressive(0.5, 4, 1000, 6);
  const SeriesView first = SeriesView(values, 4).part(0, 333), second = SeriesView(values, 4).part(333, 667);
  const std::int64_t limit = 4 * 100 * 8;
  ChainSeries before(4, limit);
  for (int c = 0; c < 4; ++c) before.append(c, first.chain(c));
  ChainSeries after(before.state(), limit);
  for (int c = 0; c < 4; ++c) after.append(c, second.chain(c));
  const SeriesStatistics restarted = analyse_series(after),
                         direct = analyse_series(series_of(values, 4, limit));
  EXPECT_EQ(restarted.mean, direct.mean);
  EXPECT_EQ(restarted.error, direct.error);
  EXPECT_EQ(restarted.variance, direct.variance);
  EXPECT_EQ(restarted.tau, direct.tau);
  EXPECT_EQ(restarted.r_hat, direct.r_hat);
  EXPECT_EQ(restarted.geweke, direct.geweke);
}

void expect_all_finite(const SeriesStatistics& s) {
  for (const double value : {s.mean, s.variance, s.tau, s.tau_error, s.window, s.effective_samples}) {
    EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(SeriesStatistics, OfDegenerateSeriesAreSensible) {
  const SeriesStatistics none = analyse_series(ChainSeries(3));
  expect_all_finite(none);
  EXPECT_TRUE(std::isnan(none.error));
  const SeriesStatistics one = statistics_of({-6.5}, 1);
  expect_all_finite(one);
  EXPECT_EQ(one.mean, -6.5);
  EXPECT_EQ(one.variance, 0.0);
  for (const double unknown :
       {one.error, one.between_chains_error, one.variance_error, one.r_hat, one.geweke}) {
    EXPECT_TRUE(std::isnan(unknown));
  }
  const SeriesStatistics two = statistics_of({1.0, 2.0}, 2);
  expect_all_finite(two);
  EXPECT_DOUBLE_EQ(two.error, 0.5) << "independent";
  EXPECT_DOUBLE_EQ(two.between_chains_error, 0.5);
  for (const int chains : {1, 2, 50}) {
    const SeriesStatistics constant = statistics_of(std::vector<double>(500, -0.1), chains);
    expect_all_finite(constant);
    EXPECT_EQ(constant.mean, -0.1) << chains;
    EXPECT_EQ(constant.error, 0.0) << chains;
    EXPECT_EQ(constant.variance_error, 0.0) << chains;
    EXPECT_FALSE(constant.errors_differ) << chains;
    EXPECT_EQ(constant.r_hat, 1.0) << chains;
    EXPECT_EQ(constant.geweke, 0.0) << chains;
    ASSERT_FALSE(constant.binning.empty());
    EXPECT_EQ(constant.binning[0].error, 0.0) << chains;
  }
  std::vector<double> values = autoregressive(0.5, 20, 100, 1);
  values[77] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(statistics_of(values, 20).mean)) << "not hidden";
}

/// Chains of 2 x 2 x 16 + 5: their last bins are not full. By hand with other means.
TEST(BinningTable, IsThatOfItsDefinition) {
  const std::vector<double> values = autoregressive(0.6, 3, 69, 8);
  const std::vector<BinningRow> table = binning_table(SeriesView(values, 3));
  ASSERT_EQ(table.size(), 3u) << "of 207, 102, 51 and 24 bins";
  std::int64_t size = 1;
  for (const BinningRow& row : table) {
    std::vector<double> bins;
    for (int c = 0; c < 3; ++c) {
      for (std::int64_t b = 0; b < 69 / size; ++b) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < size; ++k)
          sum += values[static_cast<std::size_t>(69 * c + b * size + k)];
        bins.push_back(sum / static_cast<double>(size));
      }
    }
    EXPECT_EQ(row.size, size);
    EXPECT_EQ(row.bins, static_cast<std::int64_t>(bins.size()));
    const double error = std::sqrt(moments_of(bins).variance * static_cast<double>(size) / 207.0);
    EXPECT_NEAR(row.error, error, 1e-14) << "sums of 207 numbers about 1";
    size *= 2;
  }
}

/// Bins of b values of rho = a^l: var(mean of a bin) = 2 tau / b (1 - (1 - a^b) / b x 2 a / ((1 - a)^2 2 tau)) ->
/// plateau.
TEST(BinningTable, RisesToItsPlateau) {
  const std::vector<double> values = autoregressive(0.6, 16, 16'384, 9);
  const std::vector<BinningRow> table = binning_table(SeriesView(values, 16));
  ASSERT_EQ(table.size(), 14u) << "up to bins of 8192, two a chain";
  const double n = 16.0 * 16'384.0, tau = 2.0, a = 0.6;
  for (const BinningRow& row : table) {
    const auto b = static_cast<double>(row.size);
    const double exact =
        std::sqrt((2.0 * tau - 2.0 * a * (1.0 - std::pow(a, b)) / (b * (1.0 - a) * (1.0 - a))) / n);
    const double relative = std::sqrt(tau / static_cast<double>(row.bins));  // of an error, at most
    EXPECT_NEAR(row.error / exact, 1.0, 4.0 * relative) << row.size;
  }
  EXPECT_NEAR(table[0].error * std::sqrt(n), 1.0, 0.02);
  EXPECT_NEAR(table[7].error * std::sqrt(n), 2.0, 0.1) << "bins of 128: 2048 of them";
}

TEST(SplitRHat, OfAFewNumbers) {
  // Halves (1, 2), (3, 4): W = 0.5, B / h = 2, h = 2.
  EXPECT_DOUBLE_EQ(split_r_hat(SeriesView(std::vector<double>{1, 2, 3, 4}, 1)), std::sqrt(2.25 / 0.5));
  EXPECT_DOUBLE_EQ(split_r_hat(SeriesView(std::vector<double>{1, 2, 77, 3, 4}, 1)), std::sqrt(2.25 / 0.5));
  EXPECT_TRUE(std::isnan(split_r_hat(SeriesView(std::vector<double>{1, 2, 3}, 1))));
  EXPECT_EQ(split_r_hat(SeriesView(std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2}, 2)),
            std::numeric_limits<double>::infinity());
}

TEST(SplitRHat, SeesDisplacedAndDriftingChains) {
  const int chains = 8, length = 2000;
  const std::vector<double> values = autoregressive(0.6, chains, length, 10);
  // About 1 + (2 tau - 1) / (2 h) = 1.0015.
  EXPECT_NEAR(split_r_hat(SeriesView(values, chains)), 1.0015, 0.003);
  std::vector<double> displaced = values, drifting = values;
  for (std::size_t k = 0; k < length; ++k) displaced[k] += 1.0;
  for (std::size_t k = 0; k < values.size(); ++k) drifting[k] += static_cast<double>(k % length) / length;
  EXPECT_GT(split_r_hat(SeriesView(displaced, chains)), 1.03) << "B / h = 2 x 14 / 15 / 16 = 0.117";
  EXPECT_GT(split_r_hat(SeriesView(drifting, chains)), 1.03) << "the same for every chain: halves see it";
}

TEST(Mser, FindsATransient) {
  EXPECT_EQ(mser_cut(std::vector<double>{10, 1, -1, 1, -1, 1, -1, 1, -1}), 1);
  EXPECT_EQ(mser_cut(std::vector<double>(100, 3.0)), 0) << "constant";
  EXPECT_EQ(mser_cut({}), 0);
  EXPECT_EQ(mser_cut(std::vector<double>{1.0}), 0);
  std::vector<double> values = autoregressive(0.6, 1, 5000, 11);
  EXPECT_LT(mser_cut(values), 100) << "in equilibrium from the start";
  // The least is where the transient's square, 400 exp(-k / 50), is the noise's variance 1: at 300; noise of
  // about that size moves it by tens of values.
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] += 20.0 * std::exp(-static_cast<double>(k) / 100.0);
  EXPECT_GT(mser_cut(values), 200);
  EXPECT_LT(mser_cut(values), 400);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = -static_cast<double>(k);
  EXPECT_EQ(mser_cut(values), 2500) << "all of it: the largest cut";
}

TEST(Mser, TakesTheAverageOverChains) {
  EXPECT_EQ(average_over_chains(SeriesView(std::vector<double>{1, 2, 3, 5}, 2)),
            (std::vector<double>{2, 3.5}));
}

/// 400 values of z: mean 0 +- 0.05, variance 1 +- 0.07, and 5% more as tau of half a series is known to 9%, z not
/// quite normal.
TEST(Geweke, IsNormalInEquilibrium) {
  std::vector<double> z;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    z.push_back(geweke_z(SeriesView(autoregressive(0.6, 8, 1000, seed), 8)));
  }
  EXPECT_NEAR(moments_of(z).mean, 0.0, 0.2);
  EXPECT_NEAR(moments_of(z).variance, 1.05, 0.25);
}

TEST(Geweke, SeesABeginningElsewhere) {
  std::vector<double> values = autoregressive(0.6, 8, 1000, 12);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] += 3.0 * std::exp(-static_cast<double>(k % 1000) / 20.0);
  EXPECT_GT(geweke_z(SeriesView(values, 8)), 4.0)
      << "0.6 in the first tenth, whose error is 2 / sqrt(800) = 0.07";
  EXPECT_TRUE(std::isnan(geweke_z(SeriesView(std::vector<double>{1, 2, 3}, 1))));
  EXPECT_EQ(geweke_z(SeriesView(std::vector<double>{1, 2, 2, 2}, 1)),
            -std::numeric_limits<double>::infinity());
}

}  // namespace test_statistics
}  // namespace cisolve
