// SPDX-License-Identifier: MIT
#include "cisolve/sampling/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cisolve {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Mean and sum of squared deviations of some values.
struct Spread {
  double mean = 0.0;
  double squares = 0.0;  // about the mean, >= 0
};

/// A sum of squares is not negative, though rounding might make it so; NaN stays.
double not_negative(double squares) { return squares < 0.0 ? 0.0 : squares; }

Spread spread_of(const ChainTotals& totals) {
  if (totals.count == 0) return {};
  return {totals.mean(),
          not_negative(totals.squares - totals.sum * totals.sum / static_cast<double>(totals.count))};
}

Spread spread_of(std::span<const double> values) {
  ChainTotals totals;
  for (const double value : values) totals.add(value);
  return spread_of(totals);
}

/// sd(means) / sqrt(number): the error of a mean of independent means.
double error_of_independent(std::span<const double> means) {
  const auto count = static_cast<double>(means.size());
  if (means.size() < 2) return nan;
  return std::sqrt(spread_of(means).squares / (count - 1.0) / count);
}

std::vector<double> means_of(std::span<const ChainTotals> totals) {
  std::vector<double> means;
  means.reserve(totals.size());
  for (const ChainTotals& chain : totals) means.push_back(chain.mean());
  return means;
}

double all_values(const SeriesView& series) { return static_cast<double>(series.size()); }

/// Variance of the stored values about a mean.
double variance_about(const SeriesView& series, double mean) {
  if (series.size() < 2) return 0.0;
  double squares = 0.0;
  for (int c = 0; c < series.chains(); ++c) {
    double own = 0.0;
    for (const double value : series.chain(c)) own += (value - mean) * (value - mean);
    squares += own;
  }
  return squares / (all_values(series) - 1.0);
}

/// Fills in what autocorrelations say, where mean and variance are there.
void add_autocorrelation(const SeriesView& series, double measurements, const StatisticsConfig& config,
                         MeanEstimate& estimate) {
  const auto averaged = static_cast<double>(series.averaged());
  const Autocorrelation stored = integrated_autocorrelation(series, estimate.mean, config.window_factor);
  const double stored_variance =
      series.averaged() == 1 ? estimate.variance : variance_about(series, estimate.mean);
  const double squared_error = 2.0 * stored.tau * stored_variance * averaged / measurements;
  estimate.autocorrelation_error = std::sqrt(squared_error);
  estimate.window = averaged * static_cast<double>(stored.window);
  estimate.window_found = stored.window_found;
  estimate.tau = stored.tau;
  if (series.averaged() > 1 && estimate.variance > 0.0) {
    estimate.tau = measurements * squared_error / (2.0 * estimate.variance);
  }
  estimate.tau_error = estimate.tau * stored.tau_error / stored.tau;
}

MeanEstimate estimate_from(const SeriesView& series, std::span<const ChainTotals> totals,
                           const StatisticsConfig& config) {
  MeanEstimate estimate;
  const std::vector<double> means = means_of(totals);
  const double measurements = static_cast<double>(totals.front().count) * static_cast<double>(totals.size());
  estimate.autocorrelation_error = estimate.between_chains_error = estimate.error = nan;
  if (measurements < 1.0) return estimate;
  estimate.mean = spread_of(means).mean;
  estimate.between_chains_error = error_of_independent(means);
  if (measurements < 2.0) return estimate;
  double squares = 0.0;
  for (const ChainTotals& chain : totals) {
    const Spread own = spread_of(chain);
    const double shift = own.mean - estimate.mean;
    squares += own.squares + static_cast<double>(chain.count) * shift * shift;
  }
  estimate.variance = squares / (measurements - 1.0);
  add_autocorrelation(series, measurements, config, estimate);
  estimate.error = estimate.autocorrelation_error;
  if (series.chains() >= enough_chains) {
    const double between = estimate.between_chains_error, within = estimate.autocorrelation_error;
    estimate.error = std::max(between, within);
    estimate.errors_differ = estimate.error > config.largest_ratio * std::min(between, within);
  }
  return estimate;
}

/// Sums of deviations and of their squares over groups, for the jackknife of the variance.
GroupSums deviation_sums(const SeriesView& series, std::span<const ChainTotals> totals, double mean) {
  GroupSums groups;
  groups.components = 2;
  // Averages of neighbours have lost the variance, so that whole chains have to do then.
  if (jackknife_bins(series.chains()) == 1 || series.averaged() > 1) {
    for (const ChainTotals& chain : totals) {
      const auto count = static_cast<double>(chain.count);
      const double shift = chain.first - mean;
      const double sums[2] = {chain.sum + count * shift,
                              chain.squares + 2.0 * shift * chain.sum + count * shift * shift};
      groups.add(count, sums);
    }
    return groups;
  }
  for (int c = 0; c < series.chains(); ++c) {
    std::vector<double> first, second;
    for (const double value : series.chain(c)) {
      first.push_back(value - mean);
      second.push_back((value - mean) * (value - mean));
    }
    const SeriesView views[2] = {SeriesView(first, 1), SeriesView(second, 1)};
    const GroupSums bins = group_series(views);
    groups.counts.insert(groups.counts.end(), bins.counts.begin(), bins.counts.end());
    groups.sums.insert(groups.sums.end(), bins.sums.begin(), bins.sums.end());
  }
  return groups;
}

double variance_error(const SeriesView& series, std::span<const ChainTotals> totals, double mean) {
  return jackknife(deviation_sums(series, totals, mean),
                   [](std::span<const double> means) {
                     return std::vector<double>{means[1] - means[0] * means[0]};
                   })
      .errors.front();
}

/// Sums over all bins of one size.
struct BinSums {
  double deviations = 0.0;
  double squares = 0.0;
};

/// Adds the bins of one chain to all sizes; `bins` begins as the chain's deviations and is halved from size to size.
void add_bins(std::vector<double>& bins, std::vector<BinSums>& levels) {
  for (BinSums& level : levels) {
    BinSums own;
    for (const double bin : bins) {
      own.deviations += bin;
      own.squares += bin * bin;
    }
    level.deviations += own.deviations;
    level.squares += own.squares;
    const std::size_t pairs = bins.size() / 2;
    for (std::size_t k = 0; k < pairs; ++k) bins[k] = 0.5 * (bins[2 * k] + bins[2 * k + 1]);
    bins.resize(pairs);
  }
}

}  // namespace

MeanEstimate estimate_mean(const ChainSeries& series, const StatisticsConfig& config) {
  return estimate_from(series.view(), series.totals(), config);
}

SeriesStatistics analyse_series(const ChainSeries& series, const StatisticsConfig& config) {
  const SeriesView view = series.view();
  const std::vector<ChainTotals> totals = series.totals();
  SeriesStatistics all;
  static_cast<MeanEstimate&>(all) = estimate_from(view, totals, config);
  all.chains = view.chains();
  all.measurements = series.measurements();
  all.averaged = view.averaged();
  all.effective_samples = static_cast<double>(all.measurements) * all.chains / (2.0 * all.tau);
  all.variance_error = all.measurements > 0 ? variance_error(view, totals, all.mean) : nan;
  all.r_hat = split_r_hat(view);
  all.geweke = geweke_z(view, config);
  all.binning = binning_table(view, config);
  all.chain_means = means_of(totals);
  return all;
}

std::vector<BinningRow> binning_table(const SeriesView& series, const StatisticsConfig& config) {
  const int fewest = std::max(2, config.fewest_bins);
  const auto bins_of = [&](std::size_t level) { return series.chains() * (series.length() >> level); };
  std::size_t count = 0;
  while (bins_of(count) >= fewest) ++count;
  std::vector<BinSums> levels(count);
  const double mean = series_mean(series);
  std::vector<double> bins;
  for (int c = 0; c < series.chains() && count > 0; ++c) {
    bins.clear();
    for (const double value : series.chain(c)) bins.push_back(value - mean);
    add_bins(bins, levels);
  }
  std::vector<BinningRow> table;
  for (std::size_t level = 0; level < count; ++level) {
    const auto number = static_cast<double>(bins_of(level));
    const BinSums& sums = levels[level];
    const double variance =
        not_negative(sums.squares - sums.deviations * sums.deviations / number) / (number - 1.0);
    const auto size = static_cast<double>(std::int64_t{1} << level);
    table.push_back(
        {series.averaged() << level, std::sqrt(variance * size / all_values(series)), bins_of(level)});
  }
  return table;
}

double split_r_hat(const SeriesView& series) {
  const std::int64_t half = series.length() / 2;
  if (half < 2) return nan;
  const auto count = static_cast<std::size_t>(half);
  std::vector<double> means;
  double within = 0.0;
  for (int c = 0; c < series.chains(); ++c) {
    for (const auto& part : {series.chain(c).first(count), series.chain(c).last(count)}) {
      const Spread spread = spread_of(part);
      means.push_back(spread.mean);
      within += spread.squares / static_cast<double>(half - 1);
    }
  }
  const auto halves = static_cast<double>(means.size());
  within /= halves;
  const double between = spread_of(means).squares / (halves - 1.0);
  if (within == 0.0) return between == 0.0 ? 1.0 : infinity;
  const auto h = static_cast<double>(half);
  return std::sqrt(((h - 1.0) / h * within + between) / within);
}

double geweke_z(const SeriesView& series, const StatisticsConfig& config) {
  constexpr std::int64_t fewest_values = 4;  // one in front, and a spread behind
  const std::int64_t length = series.length();
  if (length < fewest_values) return nan;
  const auto share = [&](double part) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(part * static_cast<double>(length)));
  };
  const SeriesView front = series.part(0, std::min(share(config.geweke_first), length));
  const std::int64_t last = std::min(share(config.geweke_last), length);
  const SeriesView back = series.part(length - last, last);
  const double mean = series_mean(back);
  const double difference = series_mean(front) - mean;
  const double tau = integrated_autocorrelation(back, mean, config.window_factor).tau;
  const double error =
      std::sqrt(2.0 * tau * variance_about(back, mean) * (1.0 / all_values(front) + 1.0 / all_values(back)));
  if (error == 0.0) return difference == 0.0 ? 0.0 : std::copysign(infinity, difference);
  return difference / error;
}

std::int64_t mser_cut(std::span<const double> series, const StatisticsConfig& config) {
  const auto length = static_cast<std::int64_t>(series.size());
  const auto last = static_cast<std::int64_t>(config.mser_last_start * static_cast<double>(length));
  double mean = 0.0, squares = 0.0, least = infinity;
  std::int64_t best = 0;
  for (std::int64_t d = length - 1; d >= 0; --d) {  // one value more each time, by Welford's update
    const auto count = static_cast<double>(length - d);
    const double difference = series[static_cast<std::size_t>(d)] - mean;
    mean += difference / count;
    squares += difference * (series[static_cast<std::size_t>(d)] - mean);
    const double judged = squares / count / count;
    if (d <= last && judged <= least) {
      least = judged;
      best = d;
    }
  }
  return best;
}

std::vector<double> average_over_chains(const SeriesView& series) {
  std::vector<double> average(static_cast<std::size_t>(series.length()), 0.0);
  for (int c = 0; c < series.chains(); ++c) {
    const std::span<const double> values = series.chain(c);
    for (std::size_t k = 0; k < average.size(); ++k) average[k] += values[k];
  }
  for (double& value : average) value /= series.chains();
  return average;
}

}  // namespace cisolve
