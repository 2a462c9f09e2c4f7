// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {

/// Excitations of every beta string of a table, grouped by the target's class so that the elements of a row come
/// out in column order without a search: within a group they ascend by position in the class.
class BetaLinks {
public:
  /// Opposite-spin part of a double excitation: beta single excitation through the pair rs.
  struct Link {
    std::int32_t position;  ///< of the target in its class
    std::uint32_t code;     ///< pair rs; bit 31: negative phase
  };
  /// Excitation within beta. Element: phase * (value + J_alpha[pair]); the pair of a double
  /// excitation is num_pairs, where J_alpha holds 0.
  struct OwnLink {
    std::int32_t position;
    std::uint32_t code;
    double value;  ///< hartree, without phase
  };

  template <int Words>
  BetaLinks(const StringTable<Words>& strings, const IntegralTables& tables);

  /// Single excitations of a string to strings of a level through pairs of one irrep.
  std::span<const Link> singles(std::int32_t string, int group) const {
    const std::size_t at = static_cast<std::size_t>(string) * static_cast<std::size_t>(num_groups()) +
                           static_cast<std::size_t>(group);
    return {singles_.data() + single_offsets_[at], singles_.data() + single_offsets_[at + 1]};
  }
  static int group(int level, int pair_irrep) { return level * 8 + pair_irrep; }
  int num_groups() const { return num_levels_ * 8; }

  /// Totally symmetric single and double excitations to strings of a level.
  std::span<const OwnLink> own(std::int32_t string, int level) const {
    const std::size_t at = static_cast<std::size_t>(string) * static_cast<std::size_t>(num_levels_) +
                           static_cast<std::size_t>(level);
    return {own_.data() + own_offsets_[at], own_.data() + own_offsets_[at + 1]};
  }

  /// Where the string itself would stand among singles within its level through totally symmetric pairs, and
  /// among its own excitations within its level.
  std::int32_t single_split(std::int32_t string) const { return single_split_[static_cast<std::size_t>(string)]; }
  std::int32_t own_split(std::int32_t string) const { return own_split_[static_cast<std::size_t>(string)]; }

  /// No string of a level has more of them.
  std::size_t most_singles(int from_level, int group) const {
    return most_singles_[static_cast<std::size_t>(from_level * num_groups() + group)];
  }
  std::size_t most_own(int from_level, int level) const {
    return most_own_[static_cast<std::size_t>(from_level * num_levels_ + level)];
  }

  /// The own excitations of all strings, and where among them a link of own(..) stands.
  std::span<const OwnLink> all_own() const { return {own_.data(), own_.size()}; }
  std::size_t place_of(const OwnLink& link) const { return static_cast<std::size_t>(&link - own_.data()); }

  std::int64_t bytes() const;

private:
  int num_levels_;
  std::vector<std::int64_t> single_offsets_;  ///< [strings * num_groups + 1]
  std::vector<std::int64_t> own_offsets_;     ///< [strings * levels + 1]
  std::vector<std::int32_t> single_split_;
  std::vector<std::int32_t> own_split_;
  std::vector<std::size_t> most_singles_;  ///< [levels * num_groups]
  std::vector<std::size_t> most_own_;      ///< [levels * levels]
  Array<Link> singles_;
  Array<OwnLink> own_;
};

/// Sorted distinct strings, numbered in that order: the strings of one spin in a list of determinants.
template <int Words>
class StringList {
public:
  explicit StringList(std::vector<BitString<Words>> sorted) : strings_(std::move(sorted)), index_(strings_) {}
  std::int32_t size() const { return static_cast<std::int32_t>(strings_.size()); }
  const BitString<Words>& operator[](std::int32_t i) const { return strings_[static_cast<std::size_t>(i)]; }
  std::int32_t find(const BitString<Words>& s) const {
    return static_cast<std::int32_t>(index_.find(strings_, s));
  }

private:
  std::vector<BitString<Words>> strings_;
  KeyIndex<BitString<Words>> index_;
};

/// Excitations of every string of a set (StringTable or StringList) to strings of the set, each
/// string's ascending by target, itself included.
class StringLinks {
public:
  static constexpr std::uint32_t self = 0xffffffffU;
  /// Value of a single excitation that symmetry forbids by itself (it may still pair with one of
  /// the other spin). No integral is that large.
  static constexpr double forbidden = std::numeric_limits<double>::max();

  struct Link {
    std::int32_t target;
    std::uint32_t code;  ///< single: pair and, in bit 31, the phase; double: num_pairs; or `self`
    double value;        ///< single: within-spin part without phase; double: the element; hartree
  };

  template <class Strings>
  StringLinks(const Strings& strings, const IntegralTables& tables);

  std::span<const Link> operator[](std::int32_t string) const {
    const auto at = static_cast<std::size_t>(string);
    return {links_.data() + offsets_[at], links_.data() + offsets_[at + 1]};
  }
  /// The links of all strings, and where among them a link stands.
  std::span<const Link> all() const { return {links_.data(), links_.size()}; }
  std::size_t place_of(const Link& link) const { return static_cast<std::size_t>(&link - links_.data()); }
  std::int64_t bytes() const;

private:
  std::vector<std::int64_t> offsets_;
  Array<Link> links_;
};

}  // namespace cisolve
