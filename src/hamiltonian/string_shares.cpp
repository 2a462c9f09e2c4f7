// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_shares.hpp"

#include <utility>
#include <vector>

namespace cisolve {

RowMap rows_of(const StringProduct& space, const BlockStructure& blocks, const StringShares& shares) {
  std::vector<std::pair<std::int64_t, std::int64_t>> slabs;
  const StringClasses& alpha = blocks.alpha;
  for (int c = 0; c < alpha.count(); ++c) {
    const StringShares::Range own = shares.own(alpha.size(c));
    for (std::int32_t place = own.first; place < own.last; ++place) {
      const std::int32_t string = alpha.strings[alpha.offsets[c] + place];
      for (int level = 0; level < space.num_levels(); ++level) {
        const std::int64_t size = space.run_size(level, string);
        if (size > 0) slabs.emplace_back(space.run_offset(level, string), size);
      }
    }
  }
  return RowMap(space.size(), std::move(slabs));
}

}  // namespace cisolve
