// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/space/strings.hpp"

namespace cisolve {

/// The strings of one spin in a space by what is left of them without none, one or two of their electrons. What
/// annihilators leave of a vector is a matrix over such remainders of both spins, read from the vector through these
/// tables. A *label* says where the electrons were taken from: 0, the orbital, or the pair of TwoParticleDensity.
///
/// Remainders stand in groups, whose strings lie in classes of the same kinds, so that a group is nearly a dense matrix:
/// what the remainder, the column, becomes with the electrons put back at a label.
class StringRemainders {
public:
  /// A remainder with its electrons put back.
  struct Member {
    std::int32_t label;
    std::int32_t string_class;
    std::uint32_t code;  ///< 2 * position in the class + (1 if the string is -a+ ... on the remainder)
  };
  /// The same, of all remainders in a group, from label and class.
  struct Entry {
    std::int32_t column;  ///< number of the remainder in its group
    std::uint32_t code;
  };
  /// Entries first .. last - 1, ascending by column.
  struct Slot {
    std::int32_t label;
    std::int32_t string_class;
    std::int64_t first, last;
    bool is_class;  ///< column k is string k of the class, for all columns
  };
  struct Group {
    std::int64_t first, last;  ///< remainders
    std::vector<Slot> slots;   ///< ascending by label

    std::int64_t size() const { return last - first; }
  };

  /// @param taken  electrons: 0, 1 or 2
  StringRemainders(const Strings& strings, const StringClasses& classes, int taken);

  std::span<const Group> groups() const { return groups_; }
  /// Ascending by label.
  std::span<const Member> members(std::int64_t remainder) const {
    return {members_.data() + members_of_[static_cast<std::size_t>(remainder)],
            members_.data() + members_of_[static_cast<std::size_t>(remainder) + 1]};
  }
  const Entry* entries() const { return entries_.data(); }

private:
  template <class Sorted, class Key>
  void add_group(const Sorted& remainders, const std::vector<std::size_t>& numbers,
                 const std::vector<Key>& slots);

  std::vector<std::int64_t> members_of_;  ///< [remainders + 1] into members_
  std::vector<Member> members_;
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
};

}  // namespace cisolve
