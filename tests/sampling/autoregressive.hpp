// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "cisolve/sampling/philox.hpp"
#include "cisolve/sampling/series.hpp"

namespace cisolve {

/// Standard normal numbers that are the same with every compiler: Philox and the transformation of Box and Muller.
class NormalNumbers {
public:
  explicit NormalNumbers(std::uint64_t seed, std::uint32_t stream = 0)
      : key_(philox_key(seed)), stream_(stream) {}

  double next() {
    const PhiloxBlock words = philox({{count_++, 0, stream_, 0}}, key_);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - unit_interval(words[0], words[1])));
    return radius * std::cos(2.0 * std::numbers::pi * unit_interval(words[2], words[3]));
  }

private:
  PhiloxKey key_;
  std::uint32_t stream_;
  std::uint32_t count_ = 0;
};

/// x_k+1 = a x_k + sqrt(1 - a^2) g_k in equilibrium from the first value on: mean 0, variance 1, rho(l) = a^l,
/// tau = 1/2 + sum_l a^l = (1 + a) / (2 (1 - a)). [chains x length]
inline std::vector<double> autoregressive(double a, int chains, int length, std::uint64_t seed) {
  std::vector<double> values;
  for (int c = 0; c < chains; ++c) {
    NormalNumbers normal(seed, static_cast<std::uint32_t>(c));
    double x = normal.next();
    for (int k = 0; k < length; ++k) {
      values.push_back(x);
      x = a * x + std::sqrt(1.0 - a * a) * normal.next();
    }
  }
  return values;
}

inline ChainSeries series_of(const std::vector<double>& values, int chains,
                             std::int64_t limit_bytes = ChainSeries::default_limit) {
  ChainSeries series(chains, limit_bytes);
  const SeriesView view(values, chains);
  for (int c = 0; c < chains; ++c) series.append(c, view.chain(c));
  return series;
}

/// Mean and variance of many estimates' (estimate - exact) / error.
struct ScoreMoments {
  double mean = 0.0;
  double variance = 0.0;
};

inline ScoreMoments moments_of(const std::vector<double>& values) {
  ScoreMoments moments;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) moments.mean += value / count;
  for (const double value : values) {
    moments.variance += (value - moments.mean) * (value - moments.mean) / (count - 1.0);
  }
  return moments;
}

}  // namespace cisolve
