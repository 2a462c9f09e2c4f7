// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/sampling/autocorrelation.hpp"
#include "cisolve/sampling/jackknife.hpp"
#include "cisolve/sampling/series.hpp"

namespace cisolve {

/// How a series is judged.
struct StatisticsConfig {
  double window_factor = 6.0;    ///< of the autocorrelation time's window, see integrated_autocorrelation
  int fewest_bins = 32;          ///< of a row of the binning table, >= 2: a spread of fewer says little
  double largest_ratio = 1.5;    ///< of the two errors of a mean, > 1; see MeanEstimate::errors_differ
  double geweke_first = 0.1;     ///< share of the series at its beginning that is compared, > 0
  double geweke_last = 0.5;      ///< with this share at its end; both together at most 1
  double mser_last_start = 0.5;  ///< largest share of a series that its transient may take, 0 to 0.5
};

/// A mean over chains and its standard errors. All are in the unit of the measurements.
struct MeanEstimate {
  double mean = 0.0;      ///< of all measurements: within a chain in order, then chains by number
  double variance = 0.0;  ///< of the measurements about it, by n - 1; one measurement: 0
  double error = 0.0;     ///< the larger of the two below with 16 chains or more, else the first
  double autocorrelation_error =
      0;  ///< sqrt(2 tau variance / n); NaN with fewer than two measurements in all
  double between_chains_error = 0.0;  ///< sd(chain means) / sqrt(chains); NaN for one chain
  bool errors_differ = false;  ///< with 16 chains or more: by more than StatisticsConfig::largest_ratio
  double tau = 0.5;            ///< integrated autocorrelation time, in measurements
  double tau_error = 0.0;      ///< its standard error
  double window = 0.0;         ///< of its sum, in measurements
  bool window_found = false;   ///< false: the chains are too short for tau, which is a lower bound then
};

/// Bins of one size of the binning table.
struct BinningRow {
  std::int64_t size = 0;  ///< measurements in a bin
  double error = 0.0;     ///< of the mean of all measurements, if bins are independent
  std::int64_t bins = 0;  ///< of all chains
};

/// All that is said of a measured series.
struct SeriesStatistics : MeanEstimate {
  int chains = 0;
  std::int64_t measurements = 0;  ///< of each chain
  std::int64_t averaged = 1;      ///< measurements per stored value
  double variance_error =
      0.0;  ///< jackknife over groups, see jackknife_bins; NaN if there is one group alone
  double effective_samples = 0.0;  ///< n / (2 tau), n all measurements
  double r_hat = 0.0;              ///< see split_r_hat
  double geweke = 0.0;             ///< see geweke_z
  std::vector<BinningRow> binning;
  std::vector<double> chain_means;  ///< [chains]
};

/// The mean of a series and its error alone: what is asked for at the end of every block.
///
/// Mean and variance are of all measurements. Where neighbours were averaged, autocorrelations are those of the
/// averages: error^2 = 2 tau' variance' m / n of the stored values, m measurements each, and tau = n error^2 / (2
/// variance) in measurements, so that averaging changes neither but for noise. Nothing measured: all 0, errors NaN.
/// @throws DimensionError if chains have measured unequal numbers of times
/// @see integrated_autocorrelation
MeanEstimate estimate_mean(const ChainSeries& series, const StatisticsConfig& config = {});

/// All statistics of a series, see the members of SeriesStatistics.
/// @throws DimensionError as estimate_mean
SeriesStatistics analyse_series(const ChainSeries& series, const StatisticsConfig& config = {});

/// Errors of the mean of a series from bins of 1, 2, 4, .. stored values of all chains, as long as there are
/// config.fewest_bins: they grow with the size of the bins to a plateau once bins are long beside the
/// autocorrelation time. Bins do not cross chains; values that don't fill the last bin of a chain are left out. The
/// error is sqrt(variance of the bins' means x bin size / n), n the number of values of all chains: of the whole
/// series.
/// @see H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91 (1989) 461, doi:10.1063/1.457480
std::vector<BinningRow> binning_table(const SeriesView& series, const StatisticsConfig& config = {});

/// Gelman and Rubin's potential scale reduction factor of chains cut into halves, 1 where all halves tell the same.
/// With h values a half (a middle value is left out), W the mean of the halves' variances and B / h the variance of
/// their means: R-hat^2 = ((h - 1) / h W + B / h) / W.
/// @return NaN if a half has fewer than two values; 1 if all values are equal; infinity if halves are constant but
///      differ
/// @see A. Gelman, D. B. Rubin, Statist. Sci. 7 (1992) 457, doi:10.1214/ss/1177011136; A. Vehtari et al., Bayesian
///      Anal. 16 (2021) 667, doi:10.1214/20-BA1221, section 3 (halves)
double split_r_hat(const SeriesView& series);

/// Geweke's z: the difference of the means over the first tenth and the last half of a series, divided by its
/// error. Far from 0: the beginning was not in equilibrium.
///
/// error^2 = 2 tau variance (1 / n_first + 1 / n_last), n the numbers of values of all chains, tau and variance
/// those of the last half: if the series is in equilibrium both parts have the same, and a transient can't hide
/// behind the spread that it makes itself.
/// @return NaN if a chain has fewer than four values; where there is no spread 0 for equal means, else infinity
///      with sign
/// @see J. Geweke, Bayesian Statistics 4 (1992) 169, doi:10.21034/sr.148
double geweke_z(const SeriesView& series, const StatisticsConfig& config = {});

/// The number d of values at the beginning of a series that should be left out: the one that minimises var(e_d ..)
/// / (n - d), an estimate of the mean's error if neighbours were independent, among d <= n / 2; the smallest such
/// d. At d = n / 2 the whole series may be a transient.
/// @param series  one series from the very first sweep on: the average over chains
/// @see K. P. White, Simulation 69 (1997) 323, doi:10.1177/003754979706900601 (MSER)
std::int64_t mser_cut(std::span<const double> series, const StatisticsConfig& config = {});

/// The average over chains of a series, one value for each stored one.
std::vector<double> average_over_chains(const SeriesView& series);

}  // namespace cisolve
