// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/sparse/coded_matrix.hpp"

namespace cisolve {

/// What a row of a coded block takes, or a slice of such rows.
struct CodedSize {
  std::int64_t chunks = 0;
  std::int64_t remainder = 0;  ///< slots
};

/// Bytes of a slice of that size.
inline std::int64_t bytes_of_slice(const CodedSize& size) {
  return std::int64_t{coded_lanes} * (16 * size.chunks + 12 * size.remainder);
}

/// The longest of the rows order[first] .. order[first + 31].
CodedSize size_of_slice(std::span<const CodedSize> rows, std::span<const std::int32_t> order,
                        std::size_t first);

/// Rows by descending length inside windows; rows of one length stay in order.
std::vector<std::int32_t> sorted_rows(std::span<const CodedSize> rows, std::int64_t window);

/// Rows of a block in the order in which they are cut into slices, as CodedLayout says: the cheapest of those
/// with the rows sorted within one of its windows.
/// @param cost  of an order; the second argument tells whether it is a sorted one. Not called if the layout
///              names the window
template <class Cost>
std::vector<std::int32_t> choose_order(std::span<const CodedSize> rows, const CodedLayout& layout,
                                       const Cost& cost) {
  if (layout.window > 0) return sorted_rows(rows, layout.window);
  const std::int64_t whole = std::max<std::int64_t>(std::ssize(rows), coded_lanes);
  std::vector<std::int32_t> cheapest = sorted_rows(rows, whole);
  double least = cost(cheapest, true);
  for (const std::int64_t window : {std::int64_t{256}, std::int64_t{coded_lanes}}) {
    if (window >= whole) continue;
    std::vector<std::int32_t> order = sorted_rows(rows, window);
    const double its_cost = cost(order, window > coded_lanes);
    if (its_cost < least) {
      least = its_cost;
      cheapest = std::move(order);
    }
  }
  return cheapest;
}

/// Chunks and remainder slots of all slices of a block.
CodedSize size_in_order(std::span<const CodedSize> rows, std::span<const std::int32_t> order);

}  // namespace cisolve
