// SPDX-License-Identifier: MIT
#include "cisolve/ranks/row_map.hpp"

#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {

RowMap::RowMap(std::int64_t rows, std::vector<std::pair<std::int64_t, std::int64_t>> slabs) : rows_(rows) {
  std::ranges::sort(slabs);
  for (const auto& [first, count] : slabs) {
    if (count == 0) continue;
    const std::int64_t end = slabs_.empty() ? 0 : slabs_.back().first_row + slabs_.back().count;
    if (count < 0 || first < end || first + count > rows)
      throw DimensionError("RowMap: slabs overlap, or reach beyond the vector");
    if (!slabs_.empty() && first == end)
      slabs_.back().count += count;
    else
      slabs_.push_back({first, local_rows_, count});
    local_rows_ += count;
  }
  slabs_.shrink_to_fit();
}

RowMap RowMap::even(std::int64_t rows, int ranks, int rank) {
  const std::int64_t each = (rows + ranks - 1) / ranks;
  const std::int64_t first = std::min(rows, each * rank);
  return RowMap(rows, {{first, std::min(rows, first + each) - first}});
}

std::vector<RowMap::Slab>::const_iterator RowMap::slab_from(std::int64_t row) const {
  return std::ranges::upper_bound(slabs_, row, {},
                                  [](const Slab& slab) { return slab.first_row + slab.count; });
}

std::int64_t RowMap::global(std::int64_t local) const {
  const auto slab = slab_of(local);
  return slab->first_row + (local - slab->first_local);
}

std::optional<std::int64_t> RowMap::local(std::int64_t row) const {
  const auto slab = slab_from(row);
  if (slab == slabs_.end() || row < slab->first_row) return std::nullopt;
  return slab->first_local + (row - slab->first_row);
}

std::int64_t RowMap::local_below(std::int64_t row) const {
  const auto slab = slab_from(row);
  if (slab == slabs_.end()) return local_rows_;
  return slab->first_local + std::max<std::int64_t>(row - slab->first_row, 0);
}

}  // namespace cisolve
