// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cisolve::cuda {

/// How many externals units have to a contribution, by how many of these they expect.
class Densities {
public:
  explicit Densities(double first) { values_.fill(first); }

  double operator()(double expected) const { return values_[place(expected)]; }

  /// What the units of a batch had.
  void learn(std::span<const unsigned long long> expected, std::span<const unsigned long long> externals) {
    std::array<double, places> largest{};
    for (std::size_t u = 0; u < externals.size(); ++u) {
      const auto contributions = static_cast<double>(expected[u]);
      if (contributions == 0.0) continue;
      double& here = largest[place(contributions)];
      here = std::max(here, (static_cast<double>(externals[u]) + 1.0) / contributions);
    }
    constexpr double fading = 0.75;
    for (std::size_t k = 0; k < places; ++k) {
      if (largest[k] > 0.0) values_[k] = std::max(largest[k], is_known_[k] ? fading * values_[k] : 0.0);
      is_known_[k] = is_known_[k] || largest[k] > 0.0;
    }
    // The more are expected the more often they meet.
    for (std::size_t k = 1; k < places; ++k) {
      if (!is_known_[k]) values_[k] = std::min(values_[k], values_[k - 1]);
    }
  }

private:
  static constexpr std::size_t places = 64;
  static std::size_t place(double expected) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(expected))) % places;
  }
  std::array<double, places> values_;
  std::array<bool, places> is_known_{};
};

}  // namespace cisolve::cuda
