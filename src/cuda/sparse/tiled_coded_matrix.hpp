// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "cuda/sparse/coded_matrix.hpp"
#include "sparse/column_tiles.hpp"

namespace cisolve::cuda {

/// A CodedMatrix on the device whose words are laid out by tiles of columns (cisolve::ColumnTiles), for matrices whose
/// rows have little in common with their neighbours, such as lists that were selected: there every lane of a step reads a
/// cache line of its own, and these pass the pipe of L1 one by one. Here x comes from shared memory, which answers 32
/// lanes in about five turns, wherever they read.
struct DeviceTiledMatrix {
  std::int64_t num_rows;
  std::int64_t num_columns;
  std::int64_t num_nonzeros;
  std::int32_t num_codes;   ///< in the dictionary, 0.0 among them
  std::int32_t tile_width;  ///< columns
  std::int64_t num_tiles;
  CodedTables<DeviceArray> tables;  ///< without `bases` and `chunk_offsets`
  ColumnTileTables<DeviceArray> tiles;
  DeviceArray<std::int32_t> shares;  ///< [multiprocessors + 1] first tile slices of even shares of the work
  CodedSlots<DeviceArray> slots;

  std::int64_t num_slices() const noexcept { return (num_rows + coded_lanes - 1) / coded_lanes; }
  std::int64_t num_sums() const noexcept {
    return (static_cast<std::int64_t>(tiles.word_offsets.size()) - 1) * coded_lanes;
  }
  static auto members(auto& of) { return std::tie(of.tables, of.tiles, of.shares, of.slots); }
};

/// Columns of a tile whose x has room in shared memory beside the dictionary: as few tiles as that allows, all of a width.
/// 0 if tiles would be too narrow to be of use.
std::int32_t tile_width(std::int64_t num_columns, std::int64_t num_codes, std::int64_t shared_per_block);

/// The matrix by tiles.
/// @param matrix  on the device; it is taken apart once all that is new is allocated
/// @param tiles   of the same matrix, which fit shared memory
/// @throws ResourceError if the device has no room for the words twice, and the matrix is as it was
DeviceTiledMatrix by_tiles(DeviceCodedMatrix&& matrix, const ColumnTiles& tiles, const Stream& stream);

/// Tiles of a matrix that is multiplied faster by them; none if it is not, or the device has no room for them.
/// @param matrix   `host` on the device
/// @param besides  bytes of device memory that are needed for something else later
/// @throws std::bad_alloc if the system refuses the memory
std::optional<ColumnTiles> worthwhile_tiles(const CodedMatrix& host, const DeviceCodedMatrix& matrix,
                                            std::int64_t besides = 0);

/// Enqueues y = A x or y += A x on `stream` and returns; see cisolve::spmv for the contract. Columns are taken one at a
/// time; x must not overlap y. Repeatable to the last bit.
/// @throws DimensionError if shapes disagree
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceTiledMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve::cuda
