// SPDX-License-Identifier: MIT
#include "cisolve/sampling/autocorrelation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "cisolve/core/thread_scope.hpp"
#include "sampling/autoregressive.hpp"

namespace cisolve {
namespace test_autocorrelation {

Autocorrelation autocorrelation_of(const std::vector<double>& values, int chains) {
  const SeriesView view(values, chains);
  return integrated_autocorrelation(view, series_mean(view));
}

/// The definition, lag by lag over all pairs.
Autocorrelation plain(const SeriesView& series, double mean) {
  const auto gamma = [&](std::size_t lag) {
    double sum = 0.0, pairs = 0.0;
    for (int c = 0; c < series.chains(); ++c) {
      const auto e = series.chain(c);
      for (std::size_t k = 0; k + lag < e.size(); ++k, pairs += 1.0) {
        sum += (e[k] - mean) * (e[k + lag] - mean);
      }
    }
    return sum / pairs;
  };
  Autocorrelation result;
  const double variance = gamma(0);
  while (!result.window_found && result.window + 1 < series.length()) {
    ++result.window;
    result.tau += gamma(static_cast<std::size_t>(result.window)) / variance;
    result.window_found = static_cast<double>(result.window) >= 6.0 * result.tau;
  }
  return result;
}

/// Windows of several passes over the lags, chains shorter and longer than one, more chains than slices.
TEST(Autocorrelation, IsThatOfTheDefinition) {
  for (const double a : {0.0, 0.6, 0.95}) {
    for (const auto& [chains, length] :
         {std::pair(1, 2), std::pair(1, 33), std::pair(3, 20), std::pair(100, 65), std::pair(2, 20'000)}) {
      const std::vector<double> values = autoregressive(a, chains, length, 11);
      const SeriesView view(values, chains);
      const Autocorrelation found = integrated_autocorrelation(view, 0.1), expected = plain(view, 0.1);
      EXPECT_EQ(found.window, expected.window) << a << ' ' << chains << ' ' << length;
      EXPECT_EQ(found.window_found, expected.window_found) << a << ' ' << chains << ' ' << length;
      // A hundred lags of rho, each a sum of up to 40,000 products: rounding 1e-16 sqrt(40,000) x 100.
      EXPECT_NEAR(found.tau, std::max(expected.tau, 0.5 / static_cast<double>(view.size())), 1e-11);
    }
  }
}

/// tau = 2 of a = 0.6. Of 400 values of z = (tau - 2) / error the mean has an error of 0.05, the variance one of
/// 0.07. The estimated error falls with tau, which puts the mean of z a tenth below 0; the formula has w + 1/2
/// where Wolff's has w + 1/2 - tau, so that the variance is not 1 but about 10.5 / 12.5.
TEST(Autocorrelation, OfManySeriesIsWithinItsError) {
  std::vector<double> taus, z;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Autocorrelation found = autocorrelation_of(autoregressive(0.6, 8, 1000, seed), 8);
    EXPECT_TRUE(found.window_found);
    taus.push_back(found.tau);
    z.push_back((found.tau - 2.0) / found.tau_error);
  }
  // A window of 12 cuts off 0.6^13 / 0.4 = 0.003; the mean that is fitted costs 25 tau / 8000 = 0.006.
  EXPECT_NEAR(moments_of(taus).mean, 2.0, 0.009 + 4.0 * 0.145 / 20.0)
      << "errors of tau are 0.145, its mean's 1/20";
  EXPECT_NEAR(moments_of(z).mean, 0.0, 0.3);
  EXPECT_NEAR(moments_of(z).variance, 0.84, 0.28);
}

TEST(Autocorrelation, OfIndependentValuesIsOneHalf) {
  const Autocorrelation found = autocorrelation_of(autoregressive(0.0, 4, 50'000, 1), 4);
  EXPECT_NEAR(found.tau, 0.5, 4.0 * found.tau_error);
  EXPECT_LT(found.tau_error, 0.005) << "sqrt(18 / 200,000) / 2 where the window is 4";
  EXPECT_GE(found.window, 3) << "the first w >= 6 x 0.5, unless noise puts tau above";
  EXPECT_LE(found.window, 4);
}

/// Chains that are correlated with each other only within, about a common mean: displaced chains have a long tau.
TEST(Autocorrelation, SeesDisplacedChains) {
  std::vector<double> values = autoregressive(0.0, 4, 1000, 2);
  for (std::size_t k = 0; k < 1000; ++k) values[k] += 10.0;
  const Autocorrelation found = autocorrelation_of(values, 4);
  EXPECT_GT(found.tau, 50.0);
}

TEST(Autocorrelation, DoesNotDependOnThreads) {
  const std::vector<double> values = autoregressive(0.9, 100, 6000, 3);  // enough for several threads
  std::vector<double> taus;
  for (const int threads : {1, 2, 7}) {
    const ThreadScope scope(threads);
    taus.push_back(autocorrelation_of(values, 100).tau);
  }
  EXPECT_EQ(taus[0], taus[1]);
  EXPECT_EQ(taus[0], taus[2]);
}

TEST(Autocorrelation, OfDegenerateSeriesIsFinite) {
  EXPECT_EQ(autocorrelation_of({1.0}, 1).tau, 0.5) << "one value";
  EXPECT_EQ(autocorrelation_of({}, 1).tau, 0.5) << "none";
  EXPECT_EQ(autocorrelation_of({1.0, 2.0, 3.0}, 3).tau, 0.5) << "no pairs";
  EXPECT_EQ(autocorrelation_of(std::vector<double>(100, 0.1), 2).tau, 0.5) << "constant";
  EXPECT_EQ(autocorrelation_of(std::vector<double>(100, 0.1), 2).tau_error, 0.0);
  std::vector<double> values = autoregressive(0.6, 2, 100, 4);
  values[50] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(autocorrelation_of(values, 2).tau, 0.5) << "not finite";
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = k % 2 == 0 ? 1.0 : -1.0;
  EXPECT_EQ(autocorrelation_of(values, 1).tau, 0.5 / 200.0) << "1/2 - 1 is raised to the least";
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = k < 100 ? 1.0 : -1.0;
  EXPECT_GT(autocorrelation_of(values, 2).tau, 50.0) << "each chain stuck";
  EXPECT_FALSE(autocorrelation_of(values, 2).window_found);
}

}  // namespace test_autocorrelation
}  // namespace cisolve
