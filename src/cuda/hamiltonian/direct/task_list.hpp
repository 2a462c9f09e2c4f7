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

/// What a row of a block of y costs, whoever has it: in multiplications.
struct RowCost {
  int layout, major_class;
  double cost;
};

/// The rows of blocks of y, as they are planned.
class TaskList {
public:
  /// A block.
  /// @param strings  whose rows they are
  /// @param number   of the block
  void add(const RowCost& row, const StringShares::Range& strings, std::int32_t number) {
    blocks_.push_back({row.cost, row.layout, strings, number});
    costs_.push_back(row);
  }

  /// Of all blocks.
  const std::vector<RowCost>& costs() const { return costs_; }

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
      const auto& [cost, layout, strings, number] = blocks_[block];
      for (std::int32_t k = strings.first; k < strings.last; ++k) tasks.push_back({number, k});
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
    std::int32_t number;
  };
  std::vector<OfBlock> blocks_;
  std::vector<RowCost> costs_;
};

}  // namespace cisolve::cuda::direct
