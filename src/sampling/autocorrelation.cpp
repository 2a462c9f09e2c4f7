// SPDX-License-Identifier: MIT
#include "cisolve/sampling/autocorrelation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

/// Lags calculated in one pass: as many sums as fill a processor's vectors, and no more than a window often needs.
constexpr std::int64_t lags_at_once = 32;
using LagSums = std::array<double, static_cast<std::size_t>(lags_at_once)>;

/// Adds the products of one chain's deviations at the lags from `first_lag` on.
void add_products(std::span<const double> values, double mean, std::int64_t first_lag, LagSums& sums) {
  const auto length = static_cast<std::int64_t>(values.size());
  const double* const value = values.data();
  const std::int64_t whole = std::max<std::int64_t>(0, length - first_lag - (lags_at_once - 1));
  LagSums own{};
  for (std::int64_t k = 0; k < whole; ++k) {
    const double deviation = value[k] - mean;
    const double* const later = value + k + first_lag;
    for (std::size_t l = 0; l < own.size(); ++l) own[l] += deviation * (later[l] - mean);
  }
  for (std::int64_t k = whole; k + first_lag < length; ++k) {  // not all lags have a partner here
    const double deviation = value[k] - mean;
    const std::int64_t lags = std::min(lags_at_once, length - first_lag - k);
    for (std::int64_t l = 0; l < lags; ++l) {
      own[static_cast<std::size_t>(l)] += deviation * (value[k + first_lag + l] - mean);
    }
  }
  for (std::size_t l = 0; l < own.size(); ++l) sums[l] += own[l];
}

/// Sums over all chains. They are cut into slices that don't depend on the number of threads, summed in order.
LagSums products(const SeriesView& series, double mean, std::int64_t first_lag) {
  constexpr std::int64_t most_slices = 64;
  constexpr std::int64_t values_of_one_thread =
      500'000;  // two milliseconds' work: less isn't worth waking others
  const std::int64_t chains = series.chains();
  const std::int64_t slices = std::min(most_slices, chains);
  std::vector<LagSums> sums(static_cast<std::size_t>(slices), LagSums{});
  const auto chunk = static_cast<int>(series.size() < values_of_one_thread ? slices : 1);
  parallel_for(slices, chunk, [&](std::int64_t slice) {
    for (std::int64_t c = slice * chains / slices; c < (slice + 1) * chains / slices; ++c) {
      add_products(series.chain(static_cast<int>(c)), mean, first_lag, sums[static_cast<std::size_t>(slice)]);
    }
  });
  LagSums all{};
  for (const LagSums& slice : sums) {
    for (std::size_t l = 0; l < all.size(); ++l) all[l] += slice[l];
  }
  return all;
}

}  // namespace

double series_mean(const SeriesView& series) {
  if (series.length() == 0) return 0.0;
  const double origin = series.chain(0).front();  // sums of what is left are small, and 0 for a constant
  double mean = 0.0;
  for (int c = 0; c < series.chains(); ++c) {
    double sum = 0.0;
    for (const double value : series.chain(c)) sum += value - origin;
    mean += sum / static_cast<double>(series.length());
  }
  return origin + mean / series.chains();
}

Autocorrelation integrated_autocorrelation(const SeriesView& series, double mean, double window_factor) {
  Autocorrelation result;
  const std::int64_t length = series.length();
  if (length < 2) return result;
  const auto pairs = [&](std::int64_t lag) {
    return static_cast<double>(length - lag) * static_cast<double>(series.chains());
  };
  LagSums sums = products(series, mean, 0);
  const double variance = sums[0] / pairs(0);
  if (!(variance > 0.0) || !std::isfinite(variance)) return result;
  double tau = 0.5;
  for (std::int64_t lag = 1; lag < length && !result.window_found; ++lag) {
    if (lag % lags_at_once == 0) sums = products(series, mean, lag);
    tau += sums[static_cast<std::size_t>(lag % lags_at_once)] / (pairs(lag) * variance);
    result.window = lag;
    result.window_found = static_cast<double>(lag) >= window_factor * tau;
  }
  const auto size = static_cast<double>(series.size());
  result.tau = std::max(tau, 0.5 / size);
  result.tau_error = result.tau * std::sqrt(2.0 * (2.0 * static_cast<double>(result.window) + 1.0) / size);
  return result;
}

}  // namespace cisolve
