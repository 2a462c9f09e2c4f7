// SPDX-License-Identifier: MIT
#include "sparse/slice_order.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve {
std::vector<std::int32_t> sorted_rows(std::span<const CodedSize> rows, std::int64_t window) {
  std::vector<std::int32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  if (window <= coded_lanes) return order;
  // Chunks of a row are fewer than 2^31, so a key that sorts downwards and then by row fits 64 bits.
  std::vector<std::uint64_t> keys(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    keys[row] = (std::uint64_t{~static_cast<std::uint32_t>(rows[row].chunks)} << 32) | row;
  }
  const std::int64_t size = std::ssize(order);
  for (std::int64_t first = 0; first < size; first += window) {
    std::sort(keys.begin() + first, keys.begin() + std::min(first + window, size));
  }
  std::transform(keys.begin(), keys.end(), order.begin(),
                 [](std::uint64_t key) { return static_cast<std::int32_t>(key & 0xffffffffU); });
  return order;
}

CodedSize size_of_slice(std::span<const CodedSize> rows, std::span<const std::int32_t> order,
                        std::size_t first) {
  CodedSize size;
  for (std::size_t at = first; at < std::min(first + coded_lanes, order.size()); ++at) {
    const CodedSize& row = rows[order[at]];
    size.chunks = std::max(size.chunks, row.chunks);
    size.remainder = std::max(size.remainder, row.remainder);
  }
  return size;
}

CodedSize size_in_order(std::span<const CodedSize> rows, std::span<const std::int32_t> order) {
  CodedSize sum;
  for (std::size_t first = 0; first < order.size(); first += coded_lanes) {
    const CodedSize slice = size_of_slice(rows, order, first);
    sum = {sum.chunks + slice.chunks, sum.remainder + slice.remainder};
  }
  return sum;
}

}  // namespace cisolve
