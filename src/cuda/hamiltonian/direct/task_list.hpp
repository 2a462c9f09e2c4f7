// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

/// The rows of blocks of y, as they are planned.
class TaskList {
public:
  /// The next block.
  /// @param cost  of a row
  void add(double cost, std::int32_t strings) { blocks_.push_back({cost, strings}); }

  /// All rows: those of costly blocks first, so that none is left over at the end.
  std::vector<RowTask> in_order() const {
    std::vector<std::int32_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](auto k) { return blocks_[k].cost; });
    std::vector<RowTask> tasks;
    for (const std::int32_t block : order) {
      for (std::int32_t k = 0; k < blocks_[block].strings; ++k) tasks.push_back({block, k});
    }
    return tasks;
  }

private:
  struct OfBlock {
    double cost;
    std::int32_t strings;
  };
  std::vector<OfBlock> blocks_;
};

}  // namespace cisolve::cuda::direct
