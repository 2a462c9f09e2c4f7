// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/space.hpp"

namespace cisolve {

/// a+_p a_q, p != q, over the strings of one spin: which strings it leads to which, class by class. Strings are
/// given by their positions in their classes, hence by their places in the runs of a ProductSpace.
struct StringSingles {
  /// From the strings of one class to those of another.
  struct Group {
    std::int64_t first;  ///< entry
    std::int32_t size;   ///< entries
    std::int16_t source_level, target_level;
    std::int16_t source_irrep;  ///< 0 where the table is not classed by irrep
  };
  int num_orbitals = 0;
  std::vector<std::int64_t> groups_of;  ///< [p * num_orbitals + q, + 1] first group
  std::vector<Group> groups;
  std::vector<std::int32_t> sources, targets;  ///< positions; sources of a group ascend
  std::vector<double> signs;                   ///< <target| a+_p a_q |source> = +-1

  template <int Words>
  StringSingles(const StringTable<Words>& strings, int orbitals);

  /// Of a+_p a_q; none for p = q.
  std::span<const Group> operator()(int p, int q) const {
    const auto at = static_cast<std::size_t>(p * num_orbitals + q);
    return {groups.data() + groups_of[at], groups.data() + groups_of[at + 1]};
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(groups.size() * sizeof(Group) + sources.size() * 16);
  }
};

/// A run of a ProductSpace that holds something.
template <int Words>
struct StringRun {
  std::int64_t first_row;
  const typename ProductSpace<Words>::BetaList* list;
};

/// The runs of one alpha string, by level.
template <int Words>
void list_runs(const ProductSpace<Words>& space, std::int32_t alpha, std::vector<StringRun<Words>>& runs) {
  runs.clear();
  for (int level = 0; level < space.num_levels(); ++level) {
    const std::int32_t list = space.run_list(level, alpha);
    if (list == ProductSpace<Words>::no_list) continue;
    runs.push_back({space.run_offset(level, alpha), &space.beta_lists()[static_cast<std::size_t>(list)]});
  }
}

/// body(target row, source row, sign) for the excitations of a group from the beta strings of one run to those of
/// another.
template <int Words, class Body>
void for_each_single(const StringSingles& singles, const StringSingles::Group& group, const StringRun<Words>& target,
                     const StringRun<Words>& source, const Body& body) {
  if (group.target_level != target.list->level || group.source_level != source.list->level) return;
  const auto first = static_cast<std::size_t>(group.first);
  const std::size_t last = first + static_cast<std::size_t>(group.size);
  if (target.list->places.empty() && source.list->places.empty()) {
    for (std::size_t k = first; k < last; ++k)
      body(target.first_row + singles.targets[k], source.first_row + singles.sources[k], singles.signs[k]);
    return;
  }
  for (std::size_t k = first; k < last; ++k) {
    const std::int32_t to = target.list->place(singles.targets[k]);
    const std::int32_t from = source.list->place(singles.sources[k]);
    if (to >= 0 && from >= 0) body(target.first_row + to, source.first_row + from, singles.signs[k]);
  }
}

}  // namespace cisolve
