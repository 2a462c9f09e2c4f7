// SPDX-License-Identifier: MIT
#pragma once

#include "cuda/hamiltonian/direct/lanes.cuh"
#include "cuda/hamiltonian/direct/opposite/pack.cuh"

// The sums t of opposite-spin excitations over those of the major spin, by matrix units.
namespace cisolve::cuda::direct {

/// Where a thread's sums of a tile of columns go: of lane 4 g + i those of columns 2 g and 2 g + 1, which are rows g and
/// g + 8 for multiply_add, and of pairs 2 i and 2 i + 1 of eight.
template <int tiles>
struct Destination {
  double* to;  // the first pair and column
  int column;
  const int stride, ld;              // columns, elements between pairs
  const bool has_first, has_second;  // of the last eight pairs

  __device__ Destination(const Item& item, double* t, int first_column, int in_group)
      : to(t + item.t + 2 * in_group * (item.stride + t_padding) + first_column), column(first_column),
        stride(item.stride), ld(item.stride + t_padding),
        has_first(8 * (tiles - 1) + 2 * in_group < item.num_pairs),
        has_second(8 * (tiles - 1) + 2 * in_group + 1 < item.num_pairs) {}
  __device__ bool inside(int ahead = 0) const { return column + ahead < stride; }
  __device__ void store(int k, const double (&sums)[4]) const {
    double* at = to + 8 * k * ld;
    if (inside() && (k < tiles - 1 || has_first))
      *reinterpret_cast<double2*>(at) = make_double2(sums[0], sums[2]);
    if (inside() && (k < tiles - 1 || has_second))
      *reinterpret_cast<double2*>(at + ld) = make_double2(sums[1], sums[3]);
  }
  __device__ void advance() {
    to += tile_columns;
    column += tile_columns;
  }
};

/// t of some tiles of columns of an item with up to 8 * tiles pairs rs, and as many excitations as are multiplied at a
/// time: their factors stay in registers.
template <int tiles>
__device__ void sum_one_step(const Item& item, const Pack& pack, const double* x, double* t, int first,
                             int last) {
  const int group = lane() / 4;
  const int in_group = lane() % 4;
  constexpr int ld = 8 * tiles + factor_padding;
  const double* const f = pack.factors + item.factors + in_group * ld + group;
  const std::int64_t* const rows = pack.rows + item.first_excitation + in_group;
  const int column = first * tile_columns + 2 * group;
  const double* a = x + rows[0] + column;
  const double* b = x + rows[4] + column;
  Destination<tiles> to(item, t, column, in_group);
  Operands ahead;
  ahead.load(a, b, to.inside());
  double factors[tiles][2];
#pragma unroll
  for (int k = 0; k < tiles; ++k) {
    factors[k][0] = f[8 * k];
    factors[k][1] = f[4 * ld + 8 * k];
  }
#pragma unroll 1
  for (int tile = first; tile < last; ++tile) {
    const Operands operands = ahead;
    a += tile_columns;
    b += tile_columns;
    if (tile + 1 < last) ahead.load(a, b, to.inside(tile_columns));
#pragma unroll
    for (int k = 0; k < tiles; ++k) {
      double sums[4] = {};
      multiply_add(sums, operands.values, factors[k][0], factors[k][1]);
      to.store(k, sums);
    }
    to.advance();
  }
}

/// t of some tiles of columns of an item with any number of excitations. Operands are loaded `depth` steps ahead, into registers that the last step
/// has just used.
template <int tiles, int depth>
__device__ void sum_steps(const Item& item, const Pack& pack, const double* x, double* t, int first,
                          int last) {
  const int group = lane() / 4;
  const int in_group = lane() % 4;
  constexpr int ld = 8 * tiles + factor_padding;
  const double* const factors = pack.factors + item.factors + in_group * ld + group;
  const int column = first * tile_columns + 2 * group;
  Cursor<tile_columns> cursor{x,
                              pack.rows + item.first_excitation + in_group,
                              item.num_excitations,
                              item.stride,
                              column,
                              0,
                              last * tile_columns};
  Destination<tiles> to(item, t, column, in_group);
  const double* const end = factors + item.num_excitations * ld;
  const double* f = factors;
  double sums[tiles][4] = {};
  // Whether there are more.
  const auto step = [&](Operands& operands) {
    multiply_step(sums, operands, f);
    cursor.load(operands);
    f += excitation_step * ld;
    if (f != end) return true;
    f = factors;
#pragma unroll
    for (int k = 0; k < tiles; ++k) {
      to.store(k, sums[k]);
      for (double& sum : sums[k]) sum = 0.0;
    }
    to.advance();
    return to.column < cursor.end;
  };
  walk_steps<depth>(cursor, step);
}

template <int tiles, int depth>
__device__ void sum_item(const Item& item, const Pack& pack, const double* x, double* t, int first,
                         int last) {
  if (item.num_excitations == excitation_step)
    sum_one_step<tiles>(item, pack, x, t, first, last);
  else
    sum_steps<tiles, depth>(item, pack, x, t, first, last);
}

/// A warp's share of the t of a phase.
template <int depth>
__device__ void sum_items(const Pack& pack, const double* x, double* t) {
  const Share* shares = pack.phase->shares + threadIdx.x / warp_size;
  const Share end = shares[1];
  int first = shares[0].tile;
  for (int k = shares[0].item; k <= end.item; ++k, first = 0) {
    const Item& item = pack.items[k];
    const int last = k == end.item ? end.tile : (item.stride + tile_columns - 1) / tile_columns;
    if (first >= last) continue;
    if (item.num_pairs <= 8)
      sum_item<1, depth>(item, pack, x, t, first, last);
    else if (item.num_pairs <= 16)
      sum_item<2, depth>(item, pack, x, t, first, last);
    else if (item.num_pairs <= 24)
      sum_item<3, depth>(item, pack, x, t, first, last);
    else
      sum_item<4, depth>(item, pack, x, t, first, last);
  }
}

}  // namespace cisolve::cuda::direct
