// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cisolve {

/// Finds the lowest of many numbers that are handed over in pieces, as of a vector that is not in host memory
/// as a whole.
class LowestElements {
public:
  /// @param count  how many to keep, >= 0
  explicit LowestElements(std::int64_t count) : count_(count) {}

  /// Adds `values` as the numbers first, first + 1, ... of the sequence; what is not a number is left out. In parallel;
  /// the result does not depend on the threads.
  void add(std::span<const double> values, std::int64_t first);

  /// The `count` smallest of what was added (all, if there were fewer) with their places in the sequence,
  /// ascending by value, equal ones by place.
  const std::vector<std::pair<double, std::int64_t>>& found() const { return found_; }

private:
  std::int64_t count_;
  std::vector<std::pair<double, std::int64_t>> found_;
};

/// Places of the `count` smallest values, ascending by value, equal ones by place.
std::vector<std::int64_t> lowest_elements(std::span<const double> values, std::int64_t count);

}  // namespace cisolve
