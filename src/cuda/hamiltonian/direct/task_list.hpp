// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian/string_shares.hpp"
#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

/// The rows of blocks of y, as they are planned.
class TaskList {
public:
  /// The next block.
  /// @param cost     of a row
  /// @param strings  whose rows they are
  void add(double cost, int layout, const StringShares::Range& strings) {
    blocks_.push_back({cost, layout, strings});
  }

  /// All rows: those of costly blocks first, so that none is left over at the end.
  /// @param by_layout  all those of layout 1 before the others
  std::vector<RowTask> in_order(bool by_layout) const {
    std::vector<std::int32_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](auto k) {
      return std::pair(by_layout ? blocks_[k].layout : 0, blocks_[k].cost);
    });
    std::vector<RowTask> tasks;
    for (const std::int32_t block : order) {
      const StringShares::Range& strings = blocks_[block].strings;
      for (std::int32_t k = strings.first; k < strings.last; ++k) tasks.push_back({block, k});
    }
    return tasks;
  }

  /// How many of them are in layout 1.
  std::int64_t count_in_layout_1() const {
    std::int64_t count = 0;
    for (const OfBlock& block : blocks_) count += block.layout == 1 ? block.strings.size() : 0;
    return count;
  }

private:
  struct OfBlock {
    double cost;
    int layout;
    StringShares::Range strings;
  };
  std::vector<OfBlock> blocks_;
};

}  // namespace cisolve::cuda::direct
