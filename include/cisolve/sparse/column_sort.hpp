// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cisolve {

/// Sorts the elements of rows by column: one pass that distributes them over stretches of columns, and then
/// each stretch by itself. Elements that come in ascending runs, as those of CI matrices do, are nearly in
/// order after the first pass. An element is column << 32 | anything; columns of a row are distinct.
class ColumnSort {
public:
  explicit ColumnSort(std::int64_t num_columns)
      : shift_(32 + std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(num_columns))) -
                                 log2_stretches,
                             0)) {}

  void sort(std::vector<std::uint64_t>& elements) {
    if (elements.size() <= few) {
      insertion_sort(elements);
      return;
    }
    starts_.fill(0);
    for (const std::uint64_t element : elements) ++starts_[(element >> shift_) + 1];
    for (std::size_t at = 1; at < starts_.size(); ++at) starts_[at] += starts_[at - 1];
    sorted_.resize(elements.size());
    for (const std::uint64_t element : elements) sorted_[starts_[element >> shift_]++] = element;
    elements.swap(sorted_);
    // Now starts_[s] is where stretch s ends.
    std::uint32_t first = 0;
    for (std::size_t stretch = 0; stretch + 1 < starts_.size() && first < elements.size(); ++stretch) {
      const std::uint32_t last = starts_[stretch];
      const std::span<std::uint64_t> part(elements.data() + first, last - first);
      if (part.size() <= few) {
        insertion_sort(part);
      } else if (!std::is_sorted(part.begin(), part.end())) {
        std::sort(part.begin(), part.end());
      }
      first = last;
    }
  }

private:
  static constexpr int log2_stretches = 9;
  static constexpr std::size_t few = 24;  // what insertion sorts fast

  static void insertion_sort(std::span<std::uint64_t> elements) {
    for (std::size_t at = 1; at < elements.size(); ++at) {
      const std::uint64_t element = elements[at];
      std::size_t to = at;
      for (; to > 0 && elements[to - 1] > element; --to) elements[to] = elements[to - 1];
      elements[to] = element;
    }
  }

  int shift_;
  std::array<std::uint32_t, (std::size_t{1} << log2_stretches) + 1> starts_{};
  std::vector<std::uint64_t> sorted_;
};

}  // namespace cisolve
