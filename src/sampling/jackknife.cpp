// SPDX-License-Identifier: MIT
#include "cisolve/sampling/jackknife.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Groups that have measurements, and the sums over all of them.
struct Whole {
  std::vector<std::size_t> groups;
  double count = 0.0;
  std::vector<double> sums;
};

Whole sum_groups(const GroupSums& groups) {
  const auto components = static_cast<std::size_t>(groups.components);
  if (groups.sums.size() != groups.counts.size() * components) {
    throw DimensionError("jackknife: one sum per group and component is needed");
  }
  Whole whole;
  whole.sums.assign(components, 0.0);
  for (std::size_t g = 0; g < groups.counts.size(); ++g) {
    if (!(groups.counts[g] > 0.0)) continue;
    whole.groups.push_back(g);
    whole.count += groups.counts[g];
    for (std::size_t i = 0; i < components; ++i) whole.sums[i] += groups.sums[g * components + i];
  }
  if (whole.groups.empty()) throw DimensionError("jackknife: there are no measurements");
  return whole;
}

std::vector<double> divided(std::vector<double> sums, double count) {
  for (double& sum : sums) sum /= count;
  return sums;
}

}  // namespace

void GroupSums::add(double count, std::span<const double> group_sums) {
  if (static_cast<int>(group_sums.size()) != components) {
    throw DimensionError("GroupSums: one sum per component is needed");
  }
  counts.push_back(count);
  sums.insert(sums.end(), group_sums.begin(), group_sums.end());
}

GroupSums group_series(std::span<const SeriesView> series) {
  if (series.empty()) throw DimensionError("group_series: there must be a series");
  const int chains = series.front().chains();
  const std::int64_t length = series.front().length();
  for (const SeriesView& one : series) {
    if (one.chains() != chains || one.length() != length) {
      throw DimensionError("group_series: all series must be of the same shape");
    }
  }
  const std::int64_t bins = std::min<std::int64_t>(jackknife_bins(chains), std::max<std::int64_t>(1, length));
  GroupSums groups;
  groups.components = static_cast<int>(series.size());
  std::vector<double> sums(series.size());
  for (int c = 0; c < chains; ++c) {
    for (std::int64_t b = 0; b < bins; ++b) {
      const std::int64_t first = b * length / bins;
      const std::int64_t count = (b + 1) * length / bins - first;
      for (std::size_t i = 0; i < series.size(); ++i) {
        sums[i] = 0.0;
        const auto values =
            series[i].chain(c).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        for (const double value : values) sums[i] += value;
      }
      groups.add(static_cast<double>(count), sums);
    }
  }
  return groups;
}

JackknifeResult jackknife(const GroupSums& groups,
                          const std::function<std::vector<double>(std::span<const double> means)>& function) {
  const Whole whole = sum_groups(groups);
  const auto components = static_cast<std::size_t>(groups.components);
  JackknifeResult result;
  result.values = function(divided(whole.sums, whole.count));
  const std::size_t values = result.values.size();
  const auto count = static_cast<double>(whole.groups.size());
  if (whole.groups.size() < 2) {
    result.errors.assign(values, std::numeric_limits<double>::quiet_NaN());
    return result;
  }
  // Differences to the value over all: they are small, so that neither sum cancels.
  std::vector<double> sums(values, 0.0), squares(values, 0.0), rest(components);
  for (const std::size_t g : whole.groups) {
    for (std::size_t i = 0; i < components; ++i) rest[i] = whole.sums[i] - groups.sums[g * components + i];
    const std::vector<double> without = function(divided(rest, whole.count - groups.counts[g]));
    if (without.size() != values) throw DimensionError("jackknife: the function's values vary in number");
    for (std::size_t i = 0; i < values; ++i) {
      const double difference = without[i] - result.values[i];
      sums[i] += difference;
      squares[i] += difference * difference;
    }
  }
  for (std::size_t i = 0; i < values; ++i) {
    const double spread = squares[i] - sums[i] * sums[i] / count;
    result.errors.push_back(std::sqrt((count - 1.0) / count * (spread < 0.0 ? 0.0 : spread)));
  }
  return result;
}

}  // namespace cisolve
