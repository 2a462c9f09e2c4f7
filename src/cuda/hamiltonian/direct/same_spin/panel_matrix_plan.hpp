// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/same_spin/same_spin_excitations.hpp"

namespace cisolve::cuda::direct {

struct Side;

/// Rows of y that a block of threads makes at a time by a dense matrix, columns of a tile, tiles.
inline constexpr int dense_targets = 32;
inline constexpr int dense_columns = 16;
inline constexpr int most_dense_tiles = 4;
/// Rows of x that it multiplies at a time.
inline constexpr int dense_rows = 32;

/// Rows of a dense matrix and of x in shared memory; lengths of rows by which a warp's loads are in different banks.
struct DenseStage {
  static constexpr int matrix_ld = dense_targets + 4;
  static constexpr int x_ld = dense_columns + 4;
  double matrix[dense_rows][matrix_ld];
  double x[most_dense_tiles][dense_rows][x_ld];
};
inline constexpr int dense_stages = 3;

/// Some columns of a panel, to whose rows the same-spin Hamiltonian is applied as a dense matrix.
struct DenseTile {
  std::int64_t x, y;     ///< the first elements
  std::int32_t stride;   ///< of the panel
  std::int32_t columns;  ///< up to dense_columns, padding included
  std::int32_t layout;
};

/// Up to most_dense_tiles that share a matrix.
struct DenseGroup {
  std::int64_t matrix;         ///< its first element; [rows in whole dense_rows][ld]
  std::int32_t rows, targets;  ///< of x, of y
  std::int32_t ld;             ///< targets, in whole dense_targets
  std::int32_t first_tile, num_tiles;
  std::int32_t first_block;  ///< blocks of threads of the groups before; there is one for dense_targets rows
};

/// Strings first .. last - 1 of a class, which are rows of y from `row` on, counted in their panel.
struct DenseTargets {
  std::int32_t row, first, last;
};

template <template <class> class Array>
struct DenseArrays {
  Array<DenseTile> tiles;
  Array<DenseGroup> groups;
  Array<DenseTargets> targets;  ///< of each matrix, by class

  static auto members(auto& of) { return std::tie(of.tiles, of.groups, of.targets); }
};

/// Same-spin Hamiltonians from all rows of a panel to the own ones, as dense matrices.
struct PanelMatrixPlan {
  struct Matrix {
    int layout, panel;  ///< a panel that has those rows
    std::int32_t rows, targets, ld;
    std::int64_t first;                   ///< element
    std::int64_t first_target;            ///< of its classes in `targets`
    std::vector<std::int64_t> first_row;  ///< of the panel, by class
    std::vector<DenseTile> tiles;         ///< of all panels of the same rows
  };
  std::vector<Matrix> matrices;  ///< one for all panels of the same rows
  std::int64_t size = 0;         ///< elements of all
  std::int64_t size_of_all =
      0;  ///< if all rows were own ones, which is what is limited: all ranks choose alike
  DenseArrays<HostArray> arrays;
  std::int32_t num_blocks = 0;  ///< of threads

  /// Gives a panel a matrix if that costs less than its excitations one by one, and there is room.
  /// @param symmetric  both layouts have the same rows
  /// @param most_size  elements of all matrices, of all ranks
  bool add(const Side& side, int panel, const SameSpinExcitations<HostArray>& excitations, bool symmetric,
           std::int64_t most_size);

  /// Groups the tiles.
  void finish();

private:
  void add_targets(const Side& side, int panel);
};

}  // namespace cisolve::cuda::direct
