// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cisolve/hamiltonian/spin_links.hpp"

// The inner loops of a direct product, compiled for each instruction set (direct_kernels_of_set.hpp). Columns come in
// groups of BlockLayout::lanes.

namespace cisolve::direct {

inline constexpr int lanes = static_cast<int>(BlockLayout::lanes);

/// Most groups of lanes that any kernel sums at a time.
inline constexpr int most_groups = 8;
inline constexpr int most_lanes = most_groups * lanes;

/// A list of columns gathered with their phases; the lanes beyond `size` repeat the first with factor 0.
struct LaneList {
  std::int32_t sources[most_lanes];
  alignas(64) double signs[most_lanes];
  const std::int32_t* targets;
  int size;
  int groups;  ///< of lanes

  LaneList(const SpinLinks& links, std::int64_t first, int count)
      : targets(links.targets.data() + first), size(count), groups((count + lanes - 1) / lanes) {
    const int width = groups * lanes;
    std::copy_n(links.sources.data() + first, size, sources);
    std::fill(sources + size, sources + width, sources[0]);
    std::copy_n(links.signs.data() + first, size, signs);
    std::fill(signs + size, signs + width, 0.0);
  }
};

/// Rows of x, [rows][stride], their columns gathered into [rows][groups * lanes].
using Gather = void (*)(const LaneList& list, const double* x, std::int64_t stride, std::int64_t rows,
                        double* tile);

/// One row of y from a tile: the excitations of a target string through pairs of one irrep.
struct Excitation {
  const SpinLinks::Single* singles;
  const double* values;          ///< (pq|rs) of the tile's pair rs at 2 pq, and its negative at 2 pq + 1
  const std::int64_t* tile_row;  ///< [major classes] first row of a class in the tile; -1: not in it
  const double* tile;            ///< [rows][groups * lanes]
};
/// @param groups  of the target string
/// @param y       its row
using Excite = void (*)(const Excitation& excitation, std::span<const LinkGroup> groups, const LaneList& list,
                        double* y);

/// What same-spin excitations into one target string need.
struct OwnLinks {
  const SpinLinks& links;
  const BlockLayout& layout;
  const CoulombTable& coulomb;  ///< of the minor spin
  int minor_class;
};
/// Some groups of columns, from `column` on, of a target's row: same-spin excitations.
/// @param x  the panel
/// @param y  the row
using ExciteOwn = void (*)(const OwnLinks& own, std::int32_t target, const double* x, std::int64_t stride,
                           std::int64_t column, double* y);

/// Pairs rs that are summed at a time where an opposite-spin part is a dense product, and columns whose t is made before
/// it is returned to y: few enough for the caches next to the core.
inline constexpr int block_pairs = 6;
inline constexpr std::int64_t block_columns = 32;

/// A block of t(rs, j) = sum over the excitations pq of one target, from string k, of +-(pq|rs) x(k, j).
struct DenseBlock {
  int num_links;
  const double* const* rows;   ///< [num_links] of x
  const std::uint32_t* codes;  ///< [num_links] into `values`
  const double* values;        ///< [codes][pairs]
  std::int64_t column;         ///< the first
  std::int64_t columns;        ///< whole groups of lanes, block_columns at most
  double* t;                   ///< [pairs][block_columns]
};
using MultiplyBlock = void (*)(const DenseBlock& block);

/// Of one instruction set: by the number of groups of lanes, and of pairs, less 1.
struct Kernels {
  int most_groups;  ///< whose sums stay in registers; for more of them there are no kernels
  std::array<Gather, direct::most_groups> gather;
  std::array<Excite, direct::most_groups> excite;
  std::array<ExciteOwn, direct::most_groups> excite_own;
  std::array<MultiplyBlock, block_pairs> multiply_block;
};

/// Those for instruction_set().
const Kernels& kernels();

}  // namespace cisolve::direct
