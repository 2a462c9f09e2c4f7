// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// The single excitations of Strings once more, arranged by a+_p a_q, p != q: which strings it leads to which, class by
/// class. Strings are given by their positions in their classes, hence by their places in the runs of a StringProduct.
class SinglesByPair {
public:
  /// From the strings of one class to those of another.
  struct Group {
    std::int64_t first;  ///< entry
    std::int32_t size;   ///< entries
    std::int16_t source_level, target_level;
    std::int16_t source_irrep;  ///< 0 where the table is not classed by irrep
  };
  struct Entry {
    std::int32_t source;        ///< ascend within a group
    std::uint32_t target_code;  ///< 2 * target + (1 if <target| a+_p a_q |source> is -1)

    std::int32_t target() const { return static_cast<std::int32_t>(target_code >> 1); }
  };

  explicit SinglesByPair(const Strings& strings);

  /// The groups of excitations a+_p a_q; none for p = q.
  std::span<const Group> operator()(int p, int q) const {
    const std::size_t at = p * num_orbitals_ + q;
    return {groups_.data() + groups_of_[at], groups_.data() + groups_of_[at + 1]};
  }
  std::span<const Entry> entries(const Group& group) const {
    return {entries_.data() + group.first, static_cast<std::size_t>(group.size)};
  }

private:
  int num_orbitals_;
  std::vector<std::int64_t> groups_of_;  ///< [p * num_orbitals + q, + 1] first group
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
};

/// body(target row, source row, code of the phase) for the excitations of a group from the beta strings of one run to
/// those of another.
template <class Body>
void for_each_single(const SinglesByPair& singles, const SinglesByPair::Group& group,
                     const StringProduct::Run& target, const StringProduct::Run& source, const Body& body) {
  if (group.target_level != target.list->level || group.source_level != source.list->level) return;
  if (target.list->places.empty() && source.list->places.empty()) {
    for (const auto& entry : singles.entries(group))
      body(target.first_row + entry.target(), source.first_row + entry.source, entry.target_code);
    return;
  }
  for (const auto& entry : singles.entries(group)) {
    const std::int32_t to = target.list->place(entry.target());
    const std::int32_t from = source.list->place(entry.source);
    if (to >= 0 && from >= 0) body(target.first_row + to, source.first_row + from, entry.target_code);
  }
}

}  // namespace cisolve
