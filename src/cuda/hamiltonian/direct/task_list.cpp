// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/task_list.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cisolve::cuda::direct {

std::vector<RowTask> TaskList::in_order() const {
  std::vector<std::int32_t> order(blocks_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](auto k) { return blocks_[k].cost; });
  std::vector<RowTask> tasks;
  for (const std::int32_t block : order) {
    for (std::int32_t k = 0; k < blocks_[block].strings; ++k) tasks.push_back({block, k});
  }
  return tasks;
}

}  // namespace cisolve::cuda::direct
