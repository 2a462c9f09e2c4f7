// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cisolve/hamiltonian/spin_links.hpp"
#include "core/planted_error.hpp"

namespace cisolve::direct {

/// Eight doubles that the compiler keeps in the machine's vector registers. May alias doubles.
using Lanes __attribute__((vector_size(64), may_alias)) = double;
static_assert(sizeof(Lanes) == BlockLayout::lanes * sizeof(double));

/// Most vectors of lanes that a kernel sums at a time: as many as stay in registers.
inline constexpr int most_vectors = 8;
inline constexpr int most_lanes = most_vectors * static_cast<int>(BlockLayout::lanes);

/// Calls body(std::integral_constant<int, vectors>) for vectors = 1 .. most_vectors.
template <class Body>
void with_vectors(int vectors, const Body& body) {
  [&]<int... v>(std::integer_sequence<int, v...>) {
    static_cast<void>(
        ((vectors == v + 1 ? (body(std::integral_constant<int, v + 1>{}), true) : false) || ...));
  }
  (std::make_integer_sequence<int, most_vectors>{});
}

inline const Lanes* lanes_at(const double* p) { return reinterpret_cast<const Lanes*>(p); }
inline Lanes* lanes_at(double* p) { return reinterpret_cast<Lanes*>(p); }

/// A list of columns gathered with their phases; the lanes beyond `size` repeat the first with factor 0.
struct LaneList {
  std::int32_t sources[most_lanes];
  alignas(64) double signs[most_lanes];
  const std::int32_t* targets;
  int size;
  int vectors;

  LaneList(const SpinLinks& links, std::int64_t first, int count)
      : targets(links.targets.data() + first), size(count),
        vectors((count + static_cast<int>(BlockLayout::lanes) - 1) / static_cast<int>(BlockLayout::lanes)) {
    const int width = vectors * static_cast<int>(BlockLayout::lanes);
    std::copy_n(links.sources.data() + first, size, sources);
    std::fill(sources + size, sources + width, sources[0]);
    std::copy_n(links.signs.data() + first, size, signs);
    std::fill(signs + size, signs + width, 0.0);
  }
};

/// Rows of x, their columns gathered into [rows][vectors * lanes]. One by one: gather instructions are slow on
/// many cores.
template <int vectors>
void gather(const LaneList& list, const double* x, std::int64_t stride, std::int64_t rows, double* tile) {
  constexpr int width = vectors * static_cast<int>(BlockLayout::lanes);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double* from = x + row * stride;
    double* to = tile + row * width;
    for (int k = 0; k < width; k += static_cast<int>(BlockLayout::lanes)) {
      const std::int32_t* at = list.sources + k;
      const Lanes values = {from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                            from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
      *lanes_at(to + k) = *lanes_at(list.signs + k) * values;
    }
  }
}

/// One row of y from a tile: the excitations of a target string through pairs of one irrep.
/// @param values    (pq|rs) of the tile's pair rs at 2 pq, and its negative at 2 pq + 1
/// @param tile_row  [major classes] first row of a class in the tile; -1: not in it
/// @param y         row of the target
template <int vectors>
void excite(const SpinLinks& links, std::span<const SpinLinks::Group> groups, const double* values,
            const std::int64_t* tile_row, const double* tile, const LaneList& list, double* y) {
  Lanes sums[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) sums[v] = Lanes{};
  for (const SpinLinks::Group& group : groups) {
    const std::int64_t row = tile_row[group.source_class];
    if (row < 0) continue;
    const Lanes* rows = lanes_at(tile) + row * vectors;
    const SpinLinks::Single* entry = links.singles.data() + group.first;
    for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry) {
      const double value = values[entry->code];
      const Lanes* from = rows + std::ptrdiff_t{entry->source} * vectors;
      for (int v = 0; v < vectors; ++v) sums[v] += value * from[v];
    }
  }
  alignas(64) double out[vectors * BlockLayout::lanes];
  for (int v = 0; v < vectors; ++v) lanes_at(out)[v] = sums[v];
  const std::int32_t* targets = list.targets;
  const int size = list.size;
  for (int k = 0; k < size; ++k) y[targets[k]] += out[k];
}

/// What same-spin excitations into one target string need.
struct OwnLinks {
  const SpinLinks& links;
  const BlockLayout& layout;
  const CoulombTable& coulomb;  ///< of the minor spin
  int minor_class;
};

/// `vectors * lanes` columns, from `column` on, of a target's row: same-spin excitations.
/// @param x  the panel
template <int vectors>
void excite_own(const OwnLinks& own, std::int32_t target, const double* x, std::int64_t stride,
                std::int64_t column, double* y) {
  Lanes sums[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) sums[v] = Lanes{};
  for (const SpinLinks::Group& group : own.links.own_doubles_of(target)) {
    const std::int64_t row = own.layout.row(own.minor_class, group.source_class);
    if (row < 0) continue;
    const double* rows = x + row * stride + column;
    const SpinLinks::OwnDouble* entry = own.links.own_doubles.data() + group.first;
    for (const SpinLinks::OwnDouble* end = entry + group.size; entry != end; ++entry) {
      const Lanes* from = lanes_at(rows + entry->source * stride);
      const double value = is_planted(PlantedError::direct_product) ? -entry->value : entry->value;
      for (int v = 0; v < vectors; ++v) sums[v] += value * from[v];
    }
  }
  for (const SpinLinks::Group& group : own.links.own_singles_of(target)) {
    const std::int64_t row = own.layout.row(own.minor_class, group.source_class);
    if (row < 0) continue;
    const double* rows = x + row * stride + column;
    const SpinLinks::OwnSingle* entry = own.links.own_singles.data() + group.first;
    for (const SpinLinks::OwnSingle* end = entry + group.size; entry != end; ++entry) {
      const Lanes* from = lanes_at(rows + entry->source * stride);
      const Lanes* felt = lanes_at(own.coulomb.row(entry->coulomb_row, own.minor_class) + column);
      const double value = entry->value;
      const double sign = entry->sign;
      for (int v = 0; v < vectors; ++v) sums[v] += (value + sign * felt[v]) * from[v];
    }
  }
  for (int v = 0; v < vectors; ++v) lanes_at(y + column)[v] = sums[v];
}

}  // namespace cisolve::direct
