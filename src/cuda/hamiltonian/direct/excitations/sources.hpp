// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/excitations/excitation_arrays.hpp"
#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {

/// An excitation of a minor string through a pair.
struct Entry {
  std::int32_t target, pair, source;  ///< pair: place in the pattern
  bool negative;
};

/// All pairs of an irrep from one minor class to another.
struct Pattern {
  int source_class, irrep;
  std::vector<Pair> pairs;
  std::vector<Entry> entries;  ///< ascending by pair
};

/// What opposite-spin excitations there are, and the layout in which each is done.
class Sources {
public:
  /// @param least_long  columns from which rows are long (`is_long`)
  /// @param shares      of the rank that is planned for
  Sources(const cisolve::DirectProduct& host, std::int64_t least_long, const StringShares& shares);

  bool parity() const { return host_.parity() != SpinParity::none; }

  /// The layouts that are worked in: with a parity the second mirrors the first.
  const std::vector<Side>& sides() const { return sides_; }

  /// From here on all rows are long.
  void make_all_long() { least_long_ = 0; }

  /// Whether a block of y is worked on in this layout: where its rows are long, or in both (`splits`).
  bool handles(const Side& side, int major_class, int minor_class) const;

  /// Whether any block of a panel is.
  bool handles_any(const Side& side, int minor_class) const;

  /// Whether a layout is the one in which excitations from a block cost less: where its minor strings are few, t is
  /// small and few of its elements are gathered.
  static bool prefers(const Side& side, int major_source, int minor_source);

  /// Whether a block of y is worked on in both layouts, in each for the source blocks that it prefers: a block about as
  /// long as wide, some of whose sources are not.
  bool splits(const Side& side, int major_class, int minor_class) const {
    const auto c = static_cast<std::size_t>(major_class), d = static_cast<std::size_t>(minor_class);
    return reach_of(side).splits[d * static_cast<std::size_t>(side.major.count()) + c] != 0;
  }

  /// Whether anything can come into the rows of a block (c, d) from the panel of another minor class in this layout, as
  /// far as the major spin is concerned.
  bool is_fed(const Side& side, int c, int d, int from) const;

  /// Whether excitations through pairs of an irrep can lead into the strings of a major class from the rows of a panel.
  /// @param split  from blocks alone that the layout prefers
  bool is_fed_by(const Side& side, int c, int source_class, int irrep, bool split) const;

  /// Whether rows of class d, or those that excitations lead from, are so long that they are worked on a tile at a time:
  /// of two thirds of the length where there are as many rows as in full CI.
  bool is_long(const Side& side, int d) const;

  /// Most excitations of any string through pairs of one irrep, in whole steps.
  std::int64_t most_excitations(const Side& side) const;

  /// Pairs that lead from a minor class into class d, by irrep.
  std::array<std::int32_t, 8> count_pairs(const Side& side, int d, int source) const;

  /// The pairs that lead into class d, by irrep and minor class.
  std::vector<Pattern> make_patterns(const Side& side, int d) const;

  /// Adds the excitations of a string of class c through pairs of an irrep into the rows of a panel, ascending by pair.
  /// @param split  those from blocks alone that the layout prefers
  void add_excitations(const Side& side, int c, std::int32_t string, int source_class, int irrep, bool split,
                       std::vector<Excitation>& excitations) const;

  /// How many that would be.
  std::int32_t count_excitations(const Side& side, int c, std::int32_t string, int source_class, int irrep,
                                 bool split) const;

  /// How many of those that a pattern meets go through a pair from `least_pair` on, that of the string to itself aside.
  std::int32_t count_half(const Side& side, int c, std::int32_t string, const Pattern& pattern,
                          std::int32_t least_pair) const;

private:
  /// Which classes excitations lead from.
  struct Reach {
    std::vector<std::vector<int>> major, minor;    ///< by target class, ascending
    std::vector<std::vector<int>> major_of_irrep;  ///< [8][classes]
    std::vector<std::uint8_t> splits;              ///< [minor classes][major classes]
  };

  const Reach& reach_of(const Side& side) const { return reach_[side.number]; }
  Reach make_reach(const Side& side) const;
  bool must_split(const Side& side, const Reach& reach, int c, int d) const;
  Pattern make_pattern(const Side& side, int d, int source, int irrep) const;

  const cisolve::DirectProduct& host_;
  std::int64_t least_long_;
  const IntegralTables& integrals_;
  std::vector<Side> sides_;
  std::vector<Reach> reach_;  ///< by layout
  std::vector<std::int32_t> coulomb_rows_;
  std::vector<std::uint8_t>
      couples_[2];  ///< by layout [pairs rs of the minor spin] 1: some (pq|rs) does not vanish
};

}  // namespace cisolve::cuda::direct
