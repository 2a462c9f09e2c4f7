// SPDX-License-Identifier: MIT
#include "cisolve/selection/strongest_rows.hpp"

#include <algorithm>
#include <functional>

#include "selection/strongest.hpp"

namespace cisolve {

std::vector<std::int64_t> strongest_rows(std::span<const double> measures, std::int64_t most) {
  if (most <= 0) return {};
  double least = 0.0;
  if (most < std::ssize(measures)) {
    std::vector<double> sorted(measures.begin(), measures.end());
    std::nth_element(sorted.begin(), sorted.begin() + (most - 1), sorted.end(), std::greater());
    least = sorted[static_cast<std::size_t>(most - 1)] * (1.0 - equal_measures);
  }
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < std::ssize(measures); ++row) {
    if (measures[row] >= least) rows.push_back(row);
  }
  return rows;
}

}  // namespace cisolve
