// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cisolve/sampling/series.hpp"

namespace cisolve {

/// From so many chains on, chains are the groups of a jackknife, and their spread counts for the error of a mean.
inline constexpr int enough_chains = 16;

/// Groups that each chain is cut into for a jackknife: 1 where there are enough chains, else 16.
constexpr int jackknife_bins(int chains) { return chains >= enough_chains ? 1 : 16; }

/// Sums of several observables over groups of measurements that are independent of each other.
struct GroupSums {
  int components = 0;
  std::vector<double> counts;  ///< measurements in each group; groups without any are passed over
  std::vector<double> sums;    ///< [groups x components]

  /// One more group.
  /// @throws DimensionError unless there is a sum for each component
  void add(double count, std::span<const double> group_sums);
};

/// The values of several functions of means, and their standard errors.
struct JackknifeResult {
  std::vector<double> values;  ///< of the means over all groups
  std::vector<double> errors;  ///< NaN where there are fewer than two groups
};

/// Sums of several series of the same shape over whole chains, or over 16 bins of each where there are fewer than
/// 16. Bins are neighbours of almost equal length (measurements k n / 16 .. (k + 1) n / 16); that of a short chain
/// of n values is one value. Bins should be long beside the autocorrelation time.
/// @param series  one per component
/// @throws DimensionError if there is none, or shapes differ
GroupSums group_series(std::span<const SeriesView> series);

/// Values and standard errors of functions of means by the jackknife that leaves out one group at a time:
/// error^2 = (G - 1) / G sum_g (f_g - mean of f_g)^2, f_g the function of the means over all groups but g.
/// @param groups    sums over groups
/// @param function  of the means (one per component), returns any number of values, always the same
/// @throws DimensionError if the sums' shape is wrong, or no group has measurements
/// @see R. G. Miller, Biometrika 61 (1974) 1, doi:10.1093/biomet/61.1.1
JackknifeResult jackknife(const GroupSums& groups,
                          const std::function<std::vector<double>(std::span<const double> means)>& function);

}  // namespace cisolve
