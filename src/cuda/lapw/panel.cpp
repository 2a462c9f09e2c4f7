// SPDX-License-Identifier: MIT
#include "cuda/lapw/panel.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve::cuda::lapw {

std::vector<Panel> column_panels(std::int64_t n, int count) {
  constexpr std::int64_t multiple = 64;  // of columns, as tiles of products have
  std::vector<Panel> panels;
  std::int64_t first = 0;
  for (int k = 1; k <= count && first < n; ++k) {
    // To the right of column c lie (n - c)^2 / 2 elements.
    const double rest = std::sqrt(1.0 - static_cast<double>(k) / count);
    const auto exact = static_cast<std::int64_t>(static_cast<double>(n) * (1.0 - rest));
    const std::int64_t end = k == count ? n : std::min(n, (exact + multiple - 1) / multiple * multiple);
    if (end > first) panels.push_back({first, end - first});
    first = end;
  }
  return panels;
}

}  // namespace cisolve::cuda::lapw
