// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/string_table.hpp"

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
  explicit StringSingles(const StringTable<Words>& strings);

  /// Of a+_p a_q; none for p = q.
  std::span<const Group> operator()(int p, int q) const {
    const auto at = static_cast<std::size_t>(p * num_orbitals + q);
    return {groups.data() + groups_of[at], groups.data() + groups_of[at + 1]};
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(groups.size() * sizeof(Group) + sources.size() * 16);
  }
};

}  // namespace cisolve
