// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/string_classes.hpp"

// From the strings of one table to those of another, which may be another space's, by operators of one spin.
namespace cisolve {

/// What is done to a string.
enum class StringOperator {
  none,          ///< the same string in the other table
  excitation,    ///< a+_p a_q, p != q
  creation,      ///< a+_p
  annihilation,  ///< a_q
};

/// For each string of `kets` the strings of `bras` that the operator leads to, with p as the particle and q as the
/// hole of the code, 0 where there is none; the sign is that of strings whose creators ascend.
StringExcitations string_links(const Strings& bras, const Strings& kets, StringOperator what);

/// string_links, which for excitations within a table are those that it has.
class StringLinksBetween {
public:
  StringLinksBetween(const Strings& bras, const Strings& kets, StringOperator what);

  const StringExcitations& operator()() const { return links_ != nullptr ? *links_ : own_; }

private:
  const StringExcitations* links_ = nullptr;
  StringExcitations own_;
};

/// Some links of beta strings: those of one pair p, q from one class to another together.
class LinksByClass {
public:
  struct Entry {
    std::int32_t source;        ///< position in its class of kets, as the target is in one of bras
    std::uint32_t target_code;  ///< 2 * target + (1 if the sign is negative)
  };
  struct Group {
    std::uint8_t p, q;
    std::int64_t first, last;
    bool in_step;  ///< sources and targets are consecutive strings of their classes, and no sign is negative
  };

  /// @param irrep        product of the irreps of source and target; any_irrep: all
  /// @param only_raising  leave out p < q
  LinksByClass(const StringExcitations& links, const Strings& bras, const StringClasses& bra_classes,
               const Strings& kets, const StringClasses& ket_classes, int irrep, bool only_raising);

  std::span<const Group> between(std::size_t bra_class, std::size_t ket_class) const {
    const std::size_t at = bra_class * num_ket_classes_ + ket_class;
    return {groups_.data() + groups_of_[at], groups_.data() + groups_of_[at + 1]};
  }
  std::span<const Entry> entries(const Group& group) const {
    return std::span(entries_).subspan(group.first, group.last - group.first);
  }

private:
  std::size_t num_ket_classes_;
  std::vector<std::int64_t> groups_of_;  ///< [bra classes * ket classes + 1]
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
};

}  // namespace cisolve
