// SPDX-License-Identifier: MIT
#include "cisolve/core/lowest.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>

namespace cisolve {
namespace {

using Element = std::pair<double, std::int64_t>;

/// Of values first, first + 1, ... the `count` lowest, in any order.
/// @param bound  those that come after it are not wanted
std::vector<Element> lowest_of(std::span<const double> values, std::int64_t first, std::size_t count,
                               const Element& bound) {
  std::vector<Element> heap;  // The highest of the lowest is in front.
  Element last = bound;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] <= last.first)) continue;
    const Element candidate(values[i], first + static_cast<std::int64_t>(i));
    if (!(candidate < last)) continue;
    if (heap.size() == count) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
    if (heap.size() == count) last = heap.front();
  }
  return heap;
}

}  // namespace

void LowestElements::add(std::span<const double> values, std::int64_t first) {
  if (count_ == 0) return;
  constexpr std::int64_t least_of_thread = 1 << 16;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool is_full = std::ssize(found_) == count_;
  const Element bound = is_full ? found_.back() : Element(infinity, std::numeric_limits<std::int64_t>::max());
  const std::int64_t size = std::ssize(values);
  const std::int64_t parts = std::clamp<std::int64_t>(size / least_of_thread, 1, omp_get_max_threads());
  std::vector<std::vector<Element>> of_parts(static_cast<std::size_t>(parts));
#pragma omp parallel for schedule(static) if (parts > 1)
  for (std::int64_t p = 0; p < parts; ++p) {
    const std::int64_t begin = size * p / parts, end = size * (p + 1) / parts;
    of_parts[p] =
        lowest_of(values.subspan(begin, end - begin), first + begin, static_cast<std::size_t>(count_), bound);
  }
  const auto before = std::ssize(found_);
  for (const std::vector<Element>& part : of_parts) found_.insert(found_.end(), part.begin(), part.end());
  std::sort(found_.begin() + before, found_.end());
  std::inplace_merge(found_.begin(), found_.begin() + before, found_.end());
  if (std::ssize(found_) > count_) found_.resize(static_cast<std::size_t>(count_));
}

std::vector<std::int64_t> lowest_elements(std::span<const double> values, std::int64_t count) {
  LowestElements lowest(count);
  lowest.add(values, 0);
  std::vector<std::int64_t> places;
  for (const auto& [value, place] : lowest.found()) places.push_back(place);
  return places;
}

}  // namespace cisolve
