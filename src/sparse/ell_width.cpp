// SPDX-License-Identifier: MIT
#include "cisolve/sparse/ell_width.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {

std::int32_t choose_ell_width(std::span<const std::int64_t> lengths, const EllCostModel& model) {
  if (lengths.empty()) return 0;
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  if (*shortest < 0 || *longest >= std::numeric_limits<std::int32_t>::max() - ell_alignment) {
    throw DimensionError("choose_ell_width: row lengths must be in [0, 2^31 - 4)");
  }
  // rows[w / alignment] and sums[w / alignment]: rows with w - alignment < length <= w, and their nonzeros.
  const auto bin_of = [](std::int64_t length) {
    return static_cast<std::size_t>((length + ell_alignment - 1) / ell_alignment);
  };
  const std::size_t num_bins = bin_of(*longest) + 1;
  std::vector<std::int64_t> rows(num_bins);
  std::vector<std::int64_t> sums(num_bins);
  std::int64_t nonzeros = 0;
  for (const std::int64_t length : lengths) {
    ++rows[bin_of(length)];
    sums[bin_of(length)] += length;
    nonzeros += length;
  }

  const auto num_rows = static_cast<std::int64_t>(lengths.size());
  std::int64_t rows_within = 0;  // length <= width
  std::int64_t nonzeros_within = 0;
  std::int64_t best = 0;
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    const std::int64_t width = static_cast<std::int64_t>(bin) * ell_alignment;
    rows_within += rows[bin];
    nonzeros_within += sums[bin];
    const std::int64_t slots = rows_within * width + (nonzeros - nonzeros_within);
    const double cost = model.bytes_per_slot * static_cast<double>(slots) +
                        model.bytes_per_tail * static_cast<double>(num_rows - rows_within);
    if (cost < best_cost) {
      best_cost = cost;
      best = width;
    }
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace cisolve
