// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {

/// Rows of coefficients that are not left out, by descending magnitude; equal ones in their order.
/// @throws InputError  all are smaller than the threshold
inline std::vector<std::size_t> heaviest_first(const std::vector<double>& coefficients, double threshold) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < coefficients.size(); ++row) {
    const double magnitude = std::abs(coefficients[row]);
    if (magnitude > 0.0 && magnitude >= threshold) rows.push_back(row);
  }
  if (rows.empty() && !coefficients.empty()) {
    throw InputError(fmt::format(
        "--threshold: all coefficients are smaller than {}; the largest is {:.4g}", threshold,
        std::abs(*std::ranges::max_element(coefficients, {}, [](double c) { return std::abs(c); }))));
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [&](std::size_t row) { return std::abs(coefficients[row]); });
  return rows;
}

}  // namespace cisolve
