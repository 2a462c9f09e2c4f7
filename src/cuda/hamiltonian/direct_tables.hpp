// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/core/cublas_handle.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/direct_plan.hpp"

namespace cisolve::cuda::direct {

/// Elements of the vectors of a workspace.
struct VectorSizes {
  std::int64_t x[2], y[2], scratch;
  std::int64_t bytes() const { return 8 * (x[0] + x[1] + y[0] + y[1] + scratch); }
};

VectorSizes vector_sizes(const cisolve::DirectProduct& host, const DirectPlan& plan);

/// Bytes of a plan, in host memory.
std::int64_t plan_bytes(const DirectPlan& plan);

/// Bytes of Tables, the diagonal included.
std::int64_t table_bytes(const cisolve::DirectProduct& host, const DirectPlan& plan);

/// What a product needs in device memory, and the dense part of it.
struct Tables {
  /// A dense same-spin product in a panel of layout 0.
  struct DensePart {
    std::size_t matrix;  ///< in `dense`
    std::int64_t x;      ///< first element of x and y that it works on
    std::int32_t rows, columns, stride;
    bool left;  ///< acts on rows, and writes y; else on columns, and adds
  };

  Tables(const cisolve::DirectProduct& host, const Stream& stream, const DirectPlan& plan);
  void list_dense_parts(const cisolve::DirectProduct& host, const OwnPlan& plan);
  void fill(const Stream& stream, const DenseClass& one, std::int32_t first, std::int32_t count,
            double* to) const;
  void fill_panel_matrices(const cisolve::DirectProduct& host, const Stream& stream, const OwnPlan& plan);
  /// @param scratch  [VectorSizes::scratch]
  void multiply_dense(const Stream& stream, const Panels& panels, bool left, double* scratch);
  void multiply_own(const Stream& stream, const Panels& panels) const;

  std::int64_t bytes = 0;  ///< of all arrays
  VectorSizes sizes;
  bool uses_layout_1, fills_layout_1;
  DeviceArray<double> diagonal, integrals, coulomb[2], values[2], own_values, packs, panel_matrices;
  DeviceArray<Block> blocks;
  DeviceArray<Phase> phases;
  DeviceArray<Item> items;
  DeviceArray<Pair> pairs;
  DeviceArray<Range> ranges;
  DeviceArray<Link> links;
  DeviceArray<RowTask> tasks, tiled_tasks;
  DeviceArray<TiledBlock> long_blocks;
  DeviceArray<TiledItem> tiled_items;
  DeviceArray<Walk> walks;
  DeviceArray<OwnSegment> segments;
  DeviceArray<OwnGroup> groups[2];
  DeviceArray<DenseTile> dense_tiles;
  DeviceArray<DenseGroup> dense_groups;
  DeviceArray<LayoutTile> tiles;
  DeviceArray<std::uint16_t> entries;
  DeviceArray<std::uint32_t> words;
  DeviceArray<PieceRows> piece_rows;
  DeviceArray<std::int32_t> step_items, slice_offsets, sources[2], own_rows, places, square_tiles;
  DeviceArray<std::int64_t> own_offsets, groups_of[2], first_row[2];
  std::vector<DenseClass> dense;
  std::vector<std::int32_t> dense_ordinals;  ///< first of each class
  std::vector<DensePart> dense_parts;
  DeviceArray<double> dense_matrices, projection_integrals;
  DeviceArray<ProjectionItem> projection_items;
  DeviceArray<ProjectionEntry> projection_entries;
  DeviceArray<std::int32_t> projection_slots;
  std::vector<Projection> projections;
  ProjectionTables projection;
  CublasHandle cublas;
  Stream beside;
  Event forked, joined;
  OppositeTables opposite;
  SumsLaunch launch;
  TiledTables tiled;
  TiledLaunch tiled_launch;
  OwnTables own;
  LayoutTables layout;
};

}  // namespace cisolve::cuda::direct
