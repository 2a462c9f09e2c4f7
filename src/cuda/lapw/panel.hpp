// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace cisolve::cuda::lapw {

/// Columns of the lower triangle of a matrix, each from its diagonal element down: what one device makes of H and S.
struct Panel {
  std::int64_t first = 0;  ///< column, and row that it begins with
  std::int64_t columns = 0;
};

/// The lower triangle of order n as panels of about equal areas, in order; fewer than `count` where n is small.
std::vector<Panel> column_panels(std::int64_t n, int count);

}  // namespace cisolve::cuda::lapw
