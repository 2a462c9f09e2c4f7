// SPDX-License-Identifier: MIT
#include "solver/start_vectors.hpp"

#include <queue>
#include <utility>

namespace cisolve {
namespace {

/// SplitMix64: a hash of the counter, so that elements can be made in any order.
/// @see G. L. Steele, D. Lea, C. H. Flood, OOPSLA (2014) 453, doi:10.1145/2660193.2660195
double uniform(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return 2.0 * (static_cast<double>(z >> 11) * 0x1.0p-53) - 1.0;
}

}  // namespace

std::vector<std::int64_t> lowest_rows(std::span<const double> diagonal, std::int64_t count) {
  std::priority_queue<std::pair<double, std::int64_t>> heap;  // The highest of the lowest is on top.
  for (std::int64_t row = 0; row < std::ssize(diagonal); ++row) {
    const std::pair candidate(diagonal[static_cast<std::size_t>(row)], row);
    if (std::ssize(heap) < count) {
      heap.push(candidate);
    } else if (count > 0 && candidate < heap.top()) {
      heap.pop();
      heap.push(candidate);
    }
  }
  std::vector<std::int64_t> rows(heap.size());
  for (std::size_t k = rows.size(); k-- > 0; heap.pop()) rows[k] = heap.top().second;
  return rows;
}

void low_lying_noise(std::span<const double> diagonal, double spread, std::uint64_t number,
                     std::span<double> out) {
  const double lowest = *std::ranges::min_element(diagonal);
  const std::uint64_t offset = number * diagonal.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < std::ssize(diagonal); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double weight = spread / (diagonal[at] - lowest + spread);
    out[at] = weight * weight * weight * weight * uniform(offset + at + 1);
  }
}

}  // namespace cisolve
