// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <parallel/algorithm>
#include <utility>
#include <vector>

#include "cisolve/selection/externals.hpp"

namespace cisolve {

/// Measures of equal determinants in theory, such as those of a configuration's spin arrangements, differ by rounding.
inline constexpr double equal_measures = 1e-8;  ///< relative

/// Keeps the externals of the largest measures of those that are handed over, in memory of twice as many.
template <int Words>
class Strongest {
public:
  /// @param most  0: none are kept
  Strongest(double threshold, std::int64_t most)
      : threshold_(threshold), most_(most),
        limit_(2 * std::clamp<std::int64_t>(most, 1 << 12, std::numeric_limits<std::int64_t>::max() / 4)) {}

  void add(const External<Words>& external) {
    if (most_ <= 0 || !(external.measure > threshold_)) return;
    kept_.push_back(external);
    if (std::ssize(kept_) <= limit_) return;
    cut();
    limit_ = std::max(limit_, 2 * std::ssize(kept_));  // many may tie
  }

  std::vector<External<Words>>& kept() { return kept_; }

  /// What is no larger is not kept.
  double threshold() const { return threshold_; }

  /// Leaves the largest, and those as large as the last of them.
  void cut() {
    if (std::ssize(kept_) <= most_) return;
    std::nth_element(kept_.begin(), kept_.begin() + (most_ - 1), kept_.end(),
                     [](const auto& x, const auto& y) { return x.measure > y.measure; });
    const double least = kept_[static_cast<std::size_t>(most_ - 1)].measure * (1.0 - equal_measures);
    std::erase_if(kept_, [&](const auto& external) { return external.measure < least; });
    threshold_ = std::max(threshold_, least * (1.0 - equal_measures));
  }

private:
  double threshold_;
  std::int64_t most_, limit_;
  std::vector<External<Words>> kept_;
};

/// Of what several have kept: descending by measure, of one measure ascending as determinants.
template <int Words>
std::vector<External<Words>> strongest_of(std::vector<Strongest<Words>> parts) {
  Strongest<Words> all = std::move(parts.front());
  for (std::size_t k = 1; k < parts.size(); ++k) {
    std::ranges::copy(parts[k].kept(), std::back_inserter(all.kept()));
    parts[k].kept() = {};
  }
  all.cut();
  std::vector<External<Words>> kept = std::move(all.kept());
  __gnu_parallel::sort(kept.begin(), kept.end(), [](const auto& x, const auto& y) {
    return x.measure != y.measure ? x.measure > y.measure : x.determinant < y.determinant;
  });
  return kept;
}

}  // namespace cisolve
