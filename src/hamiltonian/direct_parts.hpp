// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "hamiltonian/direct_dense.hpp"

namespace cisolve {

inline std::int64_t whole_lanes(std::int64_t n) {
  return (n + BlockLayout::lanes - 1) / BlockLayout::lanes * BlockLayout::lanes;
}

/// One of the two layouts and the roles that the spins have in it.
struct DirectProduct::Side {
  const BlockLayout& layout;
  const StringClasses& major;
  const StringClasses& minor;
  const SpinLinks& major_links;
  const SpinLinks& minor_links;
  const CoulombTable& minor_coulomb;
  const IntegralTables& minor_integrals;  ///< rows of pairs of the minor spin
  bool alpha_major;
  bool parity;  ///< the other layout mirrors this one
  Ranges own;   ///< [major classes] strings whose rows are worked on

  /// Opposite-spin part of a block of y: computed where its rows are longer.
  bool handles(int major_class, int minor_class) const {
    const std::int32_t length = minor.size(minor_class);
    const std::int32_t other = major.size(major_class);
    if (layout.row(minor_class, major_class) < 0) return false;
    if (length != other) return length > other;
    return alpha_major && (!parity || major_class <= minor_class);
  }
  /// A block that is its own mirror image gets the terms (pq|rs) with pq > rs, and half of those with pq = rs;
  /// mirroring brings the others.
  bool takes_half(int major_class, int minor_class) const { return parity && major_class == minor_class; }

  /// body(major class, first string, last string, row of the first): the own rows first .. last - 1 of a panel
  /// that belong to a class.
  template <class Body>
  void for_each_class(int panel, std::int64_t first, std::int64_t last, const Body& body) const {
    std::int64_t before = 0;  // own rows of the classes before
    for (int c = 0; c < major.count(); ++c) {
      const std::int64_t row = layout.row(panel, c);
      if (row < 0) continue;
      const StringShares::Range range = own[static_cast<std::size_t>(c)];
      const std::int64_t from = std::max(first - before, std::int64_t{0}) + range.first;
      const std::int64_t to = std::min<std::int64_t>(last - before + range.first, range.last);
      if (from < to) body(c, static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), row + from);
      before += range.size();
    }
  }
  std::int64_t own_rows(int panel) const {
    std::int64_t sum = 0;
    for (int c = 0; c < major.count(); ++c) {
      if (layout.row(panel, c) >= 0) sum += own[static_cast<std::size_t>(c)].size();
    }
    return sum;
  }
};

/// What the columns of one class bring to a task: the rows that its tiles hold.
struct DirectProduct::Source {
  std::vector<std::int64_t> tile_row;  ///< [major classes] -1: not in the tile
  std::int64_t rows = 0;

  Source(const Side& side, const Task& task, int minor_class) : tile_row(side.major.count(), -1) {
    std::vector<int> targets;
    side.for_each_class(task.panel, task.first_row, task.last_row, [&](int c, auto, auto, auto) {
      if (side.handles(c, task.panel)) targets.push_back(c);
    });
    for (int source = 0; source < side.major.count(); ++source) {
      if (side.layout.row(minor_class, source) < 0) continue;
      const bool needed = std::ranges::any_of(
          targets, [&](int target) { return side.major_links.is_linked(target, source); });
      if (!needed) continue;
      tile_row[source] = rows;
      rows += side.major.size(source);
    }
  }
};

/// What goes from one class of a layout's minor spin to another by dense products.
struct DirectProduct::DensePlan {
  std::vector<direct::DenseLinks> links[2];  ///< by layout
  std::vector<std::vector<std::size_t>>
      between[2];           ///< [target class * minor classes + source class] into `links`
  std::size_t scratch = 0;  ///< doubles that any of them needs

  std::span<const std::size_t> of(const Side& side, int layout, int target_class, int source_class) const {
    return between[layout]
                  [static_cast<std::size_t>(target_class) * static_cast<std::size_t>(side.minor.count()) +
                   static_cast<std::size_t>(source_class)];
  }
  bool has(const Side& side, int layout, int target_class, int source_class, int irrep) const {
    return std::ranges::any_of(of(side, layout, target_class, source_class),
                               [&](std::size_t k) { return links[layout][k].irrep() == irrep; });
  }
};

}  // namespace cisolve
