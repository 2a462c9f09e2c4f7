// SPDX-License-Identifier: MIT
#include "cisolve/sparse/paper_bytes.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {

std::int64_t paper_sliced_ell_bytes(std::span<const std::int64_t> lengths, std::int64_t slice_size) {
  if (slice_size < 1) throw DimensionError("paper_sliced_ell_bytes: slices need at least one row");
  std::int64_t slots = 0;
  for (std::size_t first = 0; first < lengths.size(); first += static_cast<std::size_t>(slice_size)) {
    const auto slice =
        lengths.subspan(first, std::min(static_cast<std::size_t>(slice_size), lengths.size() - first));
    slots += *std::max_element(slice.begin(), slice.end()) * static_cast<std::int64_t>(slice.size());
  }
  return 12 * slots;
}

std::int64_t paper_sliced_ell_r_bytes(std::span<const std::int64_t> lengths, std::int64_t slice_size) {
  return paper_sliced_ell_bytes(lengths, slice_size) + 4 * static_cast<std::int64_t>(lengths.size());
}

}  // namespace cisolve
