// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/strings.hpp"

namespace cisolve {

/// Which excitations of a table of strings a LinkLists has, in which order: of each string ascending by target, as the
/// columns of rows do, so that the elements of a row come out without a search.
enum class LinkOrder {
  by_string,  ///< in one list; targets are numbers of strings
  by_class    ///< in a list for each level of the target; targets are positions in its class
};

/// Which strings of a table a space has: others have no links, and none leads to them.
using UsedStrings = std::vector<std::uint8_t>;

/// Lists of links for every string of a table, a list for each group of targets.
template <class Link>
class LinkLists {
public:
  std::span<const Link> operator()(std::int32_t string, int group) const {
    const std::size_t at = static_cast<std::size_t>(string) * num_groups_ + static_cast<std::size_t>(group);
    return {links_.data() + offsets_[at], links_.data() + offsets_[at + 1]};
  }

  /// No string of a level has more in a group.
  std::size_t most(int from_level, int group) const {
    return most_[static_cast<std::size_t>(from_level) * num_groups_ + static_cast<std::size_t>(group)];
  }

  /// The links of all strings, and where among them a link stands.
  std::span<const Link> all() const { return {links_.data(), links_.size()}; }
  std::size_t place_of(const Link& link) const { return static_cast<std::size_t>(&link - links_.data()); }

protected:
  /// list(string, groups) adds a used string's links to its groups, all empty before; they are sorted by target here.
  template <class List>
  LinkLists(const Strings& strings, const UsedStrings& used, int num_groups, const List& list);

private:
  std::size_t num_groups_;
  std::vector<std::int64_t> offsets_;  ///< [strings * groups + 1]
  std::vector<std::size_t> most_;      ///< [levels * groups]
  Array<Link> links_;
};

/// One spin's half of an opposite-spin double excitation.
struct SingleLink {
  std::int32_t target;
  std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative)
};

/// Single excitations in groups by the irrep of their pair, by_class also by the level of their target.
class SingleLinks : public LinkLists<SingleLink> {
public:
  SingleLinks(const Strings& strings, const UsedStrings& used, const IntegralTables& tables, LinkOrder order);

  static int group(int level, int pair_irrep) { return level * 8 + pair_irrep; }

  /// Where the string itself would stand among its totally symmetric excitations to its own level.
  std::int32_t split(std::int32_t string) const { return split_[string]; }

private:
  std::vector<std::int32_t> split_;
};

/// Excitation within one spin, or none.
struct OwnLink {
  static constexpr std::uint32_t twofold_bit = 0x80000000U;
  static constexpr std::uint32_t self = 0xffffffffU;

  std::int32_t target;
  std::uint32_t
      code;  ///< of a single one as in SingleLink; of a double one its ExcitationCode and bit 31; or `self`
  /// Hartree. Of a double excitation the element; of a single one its part within the spin, without the phase.
  double value;

  bool is_double() const { return code >= twofold_bit && code != self; }
};

/// Single and totally symmetric double excitations, elements of at most the tables' threshold left out, and the string
/// itself; by_class in groups by the level of the target.
class OwnLinks : public LinkLists<OwnLink> {
public:
  /// @param all_singles  also those that aren't totally symmetric, with the value 0
  OwnLinks(const Strings& strings, const UsedStrings& used, const IntegralTables& tables, LinkOrder order,
           bool all_singles);

  /// The same by_class, from those of a table of the same strings by_string: nothing is worked out twice.
  OwnLinks(const Strings& strings, const UsedStrings& used, const OwnLinks& by_string);
};

}  // namespace cisolve
