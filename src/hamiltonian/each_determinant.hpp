// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cisolve/ranks/row_map.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// visit(row, local row, determinant) for all rows of a rank, shared by the threads of a parallel region.
template <int Words, class Visit>
void for_each_determinant(const Space<Words>& space, const RowMap& rows, const Visit& visit) {
  constexpr std::int64_t chunk = 4096;
  std::vector<RowMap::Slab> chunks;
  for (const auto& [row, local, count] : rows.slabs()) {
    for (std::int64_t done = 0; done < count; done += chunk)
      chunks.push_back({row + done, local + done, std::min(chunk, count - done)});
  }
  std::vector<Determinant<Words>> determinants;
#pragma omp for schedule(static)
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const auto [row, local, count] = chunks[c];
    determinants.resize(static_cast<std::size_t>(count));
    space.enumerate(row, determinants);
    for (std::int64_t i = 0; i < count; ++i) visit(row + i, local + i, determinants[i]);
  }
}

}  // namespace cisolve
