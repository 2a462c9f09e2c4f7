// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace cisolve {

/// Numbers of the `count` smallest elements, ascending by element, then number.
inline std::vector<std::int64_t> lowest_elements(std::span<const double> elements, std::int64_t count) {
  std::vector<std::int64_t> numbers(elements.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto last = numbers.begin() + std::min<std::int64_t>(count, std::ssize(numbers));
  std::partial_sort(numbers.begin(), last, numbers.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = elements[static_cast<std::size_t>(a)];
    const double y = elements[static_cast<std::size_t>(b)];
    return x != y ? x < y : a < b;
  });
  numbers.erase(last, numbers.end());
  return numbers;
}

}  // namespace cisolve
