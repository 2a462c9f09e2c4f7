// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cisolve/sparse/coded_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// What bounds the shape of a coded product on a device.
struct CodedDeviceLimits {
  int num_multiprocessors = 0;
  std::int64_t shared_per_block = 0;           ///< bytes that one block may ask for
  std::int64_t shared_per_multiprocessor = 0;  ///< bytes
};

/// The blocks of a CodedMatrix, one after the other.
template <template <class> class Array>
struct CodedSlots {
  Array<uint4> words;  ///< [chunk][lane]
  Array<double> remainder_values;
  Array<ColumnIndex> remainder_columns;

  static auto members(auto& of) { return std::tie(of.words, of.remainder_values, of.remainder_columns); }
};

/// A CodedMatrix on the device.
struct DeviceCodedMatrix {
  std::int64_t num_rows;
  std::int64_t num_columns;
  std::int64_t num_nonzeros;
  std::int32_t num_codes;  ///< in the dictionary, 0.0 among them
  bool has_wide_jumps;
  double lines_per_step;  ///< see cisolve::lines_per_step
  CodedDeviceLimits limits;
  CodedTables<DeviceArray> tables;
  CodedSlots<DeviceArray> slots;

  std::int64_t num_slices() const noexcept { return (num_rows + coded_lanes - 1) / coded_lanes; }
  static auto members(auto& of) { return std::tie(of.tables, of.slots); }
};

/// Copies a matrix, which may be freed afterwards.
/// @throws ResourceError if the device has not that much memory left
DeviceCodedMatrix to_device(const CodedMatrix& host, const Stream& stream);

/// Where a product looks its values up.
enum class DictionaryPlace {
  automatic,  ///< shared memory if it fits
  shared,     ///< a copy in the shared memory of each block
  global      ///< device memory, by the read-only path
};

/// How a product of one vector reads it. What limits the kernel is the pipe by which loads leave L1: a
/// dictionary look-up passes there about three times, a chunk of words four times, and a gather of x as
/// often as its lanes lie in different cache lines. The texture units have a pipe of their own.
enum class GatherPath {
  automatic,  ///< texture if the lanes of a step lie in many lines
  load,       ///< ordinary loads, by the read-only path
  texture     ///< the texture units; one vector of at most 2^27 elements
};

/// Shape of a coded product. 0 means: chosen from dictionary, number of vectors and device.
struct CodedSpmvConfig {
  int block_size = 0;                 ///< threads: a multiple of 32 warps_per_slice, at most 1024
  int blocks_per_multiprocessor = 0;  ///< blocks that stay resident, >= 1: 1024 threads in all have 64
                                      ///< registers each
  int warps_per_slice = 0;            ///< 1, 2 or 4
  DictionaryPlace dictionary = DictionaryPlace::automatic;
  GatherPath gather = GatherPath::automatic;
};

/// What the choice of a shape depends on besides the device.
struct CodedTraits {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t num_codes = 0;   ///< in the dictionary
  double lines_per_step = 0.0;  ///< see cisolve::lines_per_step
};

/// Shared memory of the kernel besides, bytes.
inline constexpr int coded_static_shared_bytes = 16;

/// What driver and kernel take of a multiprocessor's shared memory for each block, bytes.
inline constexpr int coded_reserved_shared_bytes = 1024 + coded_static_shared_bytes;

/// Bytes of dynamic shared memory per block that a product of a resolved shape takes.
/// @param width  vectors at once: 1, 2 or 4
std::int64_t coded_shared_bytes(const CodedSpmvConfig& config, std::int64_t num_codes, int width);

/// Every field filled in: the first of the shapes that are fastest on current devices whose blocks fit side
/// by side.
/// @throws DimensionError if a field that is given is not among the allowed, or the dictionary is to be in
///         shared memory and does not fit
CodedSpmvConfig resolve(CodedSpmvConfig config, const CodedTraits& traits, int width,
                        const CodedDeviceLimits& limits);

/// Enqueues y = A x or y += A x on `stream` and returns; see cisolve::spmv for the contract. Any number of
/// columns; x must not overlap y. Repeatable to the last bit for the same configuration.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceCodedMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign,
          const CodedSpmvConfig& config = {});

}  // namespace cisolve::cuda
