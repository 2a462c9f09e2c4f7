// SPDX-License-Identifier: MIT
#include "cisolve/problem/followed_roots.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace cisolve {

std::vector<int> followed_roots(std::span<const double> roots, int num_roots, std::span<const double> before,
                                std::size_t count, std::size_t rows) {
  struct Pair {
    double overlap;
    std::size_t earlier;
    int root;
  };
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    for (int root = 0; root < num_roots; ++root) {
      const double* x = before.data() + k * rows;
      const double* y = roots.data() + static_cast<std::size_t>(root) * rows;
      pairs.push_back({std::abs(std::inner_product(x, x + rows, y, 0.0)), k, root});
    }
  }
  std::ranges::stable_sort(pairs, std::greater<>(), &Pair::overlap);
  std::vector<int> numbers(count, -1);
  for (const auto& [overlap, earlier, root] : pairs) {
    if (numbers[earlier] < 0 && std::ranges::find(numbers, root) == numbers.end()) numbers[earlier] = root;
  }
  return numbers;
}

}  // namespace cisolve
