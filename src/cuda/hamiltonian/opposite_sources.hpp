// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct_plan.hpp"

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
  /// @param least_tiled  columns from which rows are long (`is_tiled`)
  Sources(const cisolve::DirectProduct& host, std::int64_t least_tiled);

  bool parity() const { return host_.parity() != SpinParity::none; }

  /// Whether a block of y is worked on in this layout: where its rows are long, or in both (`splits`).
  bool handles(const Side& side, int major_class, int minor_class) const;

  /// Whether any block of a panel is.
  bool handles_any(const Side& side, int minor_class) const;

  /// Whether a layout is the one in which excitations from a block cost less: where its minor strings are few, t is
  /// small and few of its elements are gathered.
  static bool prefers(const Side& side, int major_source, int minor_source);

  /// Whether a block of y is worked on in both layouts, in each for the source blocks that it prefers: a block about as
  /// long as wide, some of whose sources are not.
  bool splits(const Side& side, int major_class, int minor_class) const;

  /// Whether anything can come into the rows of a block (c, d) from the panel of another minor class in this layout, as
  /// far as the major spin is concerned.
  bool is_fed(const Side& side, int c, int d, int from) const;

  /// Whether rows of class d, or those that excitations lead from, are so long that they are worked on in tiles: of
  /// two thirds of the length where there are as many rows as in full CI.
  bool is_tiled(const Side& side, int d) const;

  /// Most excitations of any string through pairs of one irrep, in whole steps.
  std::int64_t most_links(const Side& side) const;

  /// Pairs that lead from a minor class into class d, by irrep.
  std::array<std::int32_t, 8> count_pairs(const Side& side, int d, int source) const;

  /// The pairs that lead into class d, by irrep and minor class.
  std::vector<Pattern> make_patterns(const Side& side, int d) const;

  /// Adds the excitations of a string of class c through pairs of an irrep into the rows of a panel, ascending by pair.
  /// @param split  those from blocks alone that the layout prefers
  void add_links(const Side& side, int c, std::int32_t string, int source_class, int irrep, bool split,
                 std::vector<Link>& links) const;

private:
  Pattern make_pattern(const Side& side, int d, int source, int irrep) const;

  const cisolve::DirectProduct& host_;
  const std::int64_t least_tiled_;
  const IntegralTables& integrals_;
  std::vector<std::int32_t> coulomb_rows_;
  std::vector<std::uint8_t> couples_;  ///< [pairs] 1: some (pq|rs) does not vanish
};

}  // namespace cisolve::cuda::direct
