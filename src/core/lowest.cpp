// SPDX-License-Identifier: MIT
#include "cisolve/core/lowest.hpp"

#include <algorithm>
#include <queue>

namespace cisolve {
namespace {

using Element = std::pair<double, std::int64_t>;

std::vector<Element> lowest_of(std::span<const double> values, std::int64_t first, std::int64_t count) {
  std::priority_queue<Element> heap;  // The highest of the lowest is on top.
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const Element candidate(values[i], first + i);
    if (std::ssize(heap) < count) {
      heap.push(candidate);
    } else if (count > 0 && candidate < heap.top()) {
      heap.pop();
      heap.push(candidate);
    }
  }
  std::vector<Element> found;
  for (; !heap.empty(); heap.pop()) found.push_back(heap.top());
  return found;
}

}  // namespace

void LowestElements::add(std::span<const double> values, std::int64_t first) {
  constexpr std::int64_t chunk = 1 << 18;
  const std::int64_t size = std::ssize(values);
  const std::int64_t num_chunks = (size + chunk - 1) / chunk;
  std::vector<std::vector<Element>> parts(num_chunks);
#pragma omp parallel for schedule(static) if (num_chunks > 1)
  for (std::int64_t c = 0; c < num_chunks; ++c) {
    const std::int64_t begin = c * chunk;
    const auto part = values.subspan(begin, std::min(chunk, size - begin));
    parts[c] = lowest_of(part, first + begin, count_);
  }
  for (const std::vector<Element>& part : parts) found_.insert(found_.end(), part.begin(), part.end());
  std::sort(found_.begin(), found_.end());
  found_.resize(std::min<std::int64_t>(count_, std::ssize(found_)));
}

std::vector<std::int64_t> lowest_elements(std::span<const double> values, std::int64_t count) {
  LowestElements lowest(count);
  lowest.add(values, 0);
  std::vector<std::int64_t> places;
  for (const auto& [value, place] : lowest.found()) places.push_back(place);
  return places;
}

}  // namespace cisolve
