// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <parallel/algorithm>
#include <tuple>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/strings.hpp"

namespace cisolve {

/// Strings by what is left of them without `taken` of their electrons, one or two. Two strings that share a remainder,
/// and none of the electrons taken from it, are so many excitations apart: so all of them are found, and none that leads
/// out of the table is tried.
template <std::size_t taken>
class Remainders {
  static_assert(taken == 1 || taken == 2);

public:
  /// A string with some of its electrons set apart.
  struct Member {
    std::int32_t string;
    std::array<std::uint8_t, taken> orbitals;  ///< of these electrons, ascending
    bool negative;                             ///< the string is -a+ (of the first) a+ ... on the remainder

    bool shares_electron(const Member& other) const {
      bool shares = false;
      for (const std::uint8_t p : orbitals) {
        for (const std::uint8_t q : other.orbitals) shares = shares || p == q;
      }
      return shares;
    }
  };

  Remainders() = default;

  /// @param within_irrep  only excitations that are totally symmetric: strings of one irrep are together
  template <int Words>
  Remainders(const Strings& strings, const std::vector<BitString<Words>>& bits, bool within_irrep) {
    struct Entry {
      BitString<Words> remainder;
      std::uint32_t place;  ///< ascending with the string
      std::int8_t irrep;
    };
    const std::size_t size = static_cast<std::size_t>(strings.size()) * choices(strings);
    if (size > std::numeric_limits<std::uint32_t>::max()) {
      throw DimensionError("StringTable: strings times pairs of electrons are more than 2^32");
    }
    std::vector<Entry> entries;
    std::vector<Member> members;
    entries.reserve(size);
    members.reserve(size);
    for (std::int32_t i = 0; i < strings.size(); ++i) {
      const auto irrep = static_cast<std::int8_t>(within_irrep ? strings.irrep(i) : 0);
      for_each_choice(strings, i, [&](const Member& member) {
        BitString<Words> remainder = bits[i];
        for (const std::uint8_t p : member.orbitals) remainder.reset(p);
        entries.push_back({remainder, static_cast<std::uint32_t>(members.size()), irrep});
        members.push_back(member);
      });
    }
    __gnu_parallel::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.remainder, a.irrep, a.place) < std::tie(b.remainder, b.irrep, b.place);
    });
    set_of_.resize(entries.size());
    members_.reserve(entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Entry& entry = entries[k];
      if (k == 0 || entry.remainder != entries[k - 1].remainder || entry.irrep != entries[k - 1].irrep)
        sets_.push_back(k);
      set_of_[entry.place] = static_cast<std::uint32_t>(sets_.size() - 1);
      members_.push_back(members[entry.place]);
    }
    sets_.push_back(entries.size());
  }

  /// visit(from, to), two members of one set, for each excitation of a string; targets ascend within a set.
  template <class Visit>
  void for_each_excitation(const Strings& strings, std::int32_t string, const Visit& visit) const {
    std::size_t place = static_cast<std::size_t>(string) * choices(strings);
    for_each_choice(strings, string, [&](const Member& from) {
      const std::uint32_t set = set_of_[place++];
      for (std::size_t k = sets_[set]; k < sets_[set + 1]; ++k) {
        if (!from.shares_electron(members_[k])) visit(from, members_[k]);
      }
    });
  }

private:
  static std::size_t choices(const Strings& strings) {
    const std::size_t electrons = strings.num_electrons();
    if constexpr (taken == 1) return electrons;
    return electrons < 2 ? 0 : electrons * (electrons - 1) / 2;
  }

  template <class Visit>
  static void for_each_choice(const Strings& strings, std::int32_t string, const Visit& visit) {
    const auto orbitals = strings.orbitals(string);
    for (std::size_t upper = 0; upper < orbitals.size(); ++upper) {
      if constexpr (taken == 1) {
        visit(Member{string, {orbitals[upper]}, upper % 2 != 0});
      } else {
        for (std::size_t lower = 0; lower < upper; ++lower) {
          // So many electrons of the remainder are below them: `lower`, and upper - 1.
          const bool negative = (lower + upper - 1) % 2 != 0;
          visit(Member{string, {orbitals[lower], orbitals[upper]}, negative});
        }
      }
    }
  }

  std::vector<std::size_t> sets_;      ///< [sets + 1] into members_
  std::vector<Member> members_;        ///< by remainder (and irrep), then ascending
  std::vector<std::uint32_t> set_of_;  ///< [strings * choices of electrons]
};

}  // namespace cisolve
