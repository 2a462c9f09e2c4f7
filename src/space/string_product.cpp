// SPDX-License-Identifier: MIT
#include "cisolve/space/string_product.hpp"

#include <algorithm>

namespace cisolve {

void StringProduct::number_rows() {
  for (BetaList& list : lists_) {
    const auto strings = beta().members(list.level, beta().irrep(list.members.front()));
    if (strings.size() == list.members.size()) continue;
    list.places.assign(strings.size(), -1);
    for (std::size_t k = 0; k < list.members.size(); ++k) {
      list.places[beta().position(list.members[k])] = static_cast<std::int32_t>(k);
    }
  }
  run_offsets_.reserve(run_lists_.size() + 1);
  std::int64_t rows = 0;
  for (const std::int32_t list : run_lists_) {
    run_offsets_.push_back(rows);
    if (list != no_list) rows += std::ssize(lists_[list].members);
  }
  run_offsets_.push_back(rows);
}

std::int64_t StringProduct::run_of_row(std::int64_t row) const {
  return std::upper_bound(run_offsets_.begin(), run_offsets_.end(), row) - run_offsets_.begin() - 1;
}

void StringProduct::list_runs(std::int32_t alpha, std::vector<Run>& runs) const {
  runs.clear();
  for (int level = 0; level < num_levels_; ++level) {
    const std::int32_t list = run_list(level, alpha);
    if (list != no_list) runs.push_back({run_offset(level, alpha), &lists_[list]});
  }
}

}  // namespace cisolve
