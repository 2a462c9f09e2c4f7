// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// Device copy of a HybridMatrix; the same layout, with spare_elements zeros behind the last nonzero of
/// the tail.
struct DeviceHybridMatrix {
  /// Copies the matrix, which may be freed afterwards.
  /// @throws ResourceError if the device has not that much memory left
  DeviceHybridMatrix(const HybridMatrix& host, const Stream& stream);

  /// Uninitialised but for the spare elements, to be filled by the caller. `num_nonzeros` counts both
  /// parts.
  DeviceHybridMatrix(std::int64_t num_rows, std::int32_t ell_width, std::int64_t num_nonzeros,
                     std::int64_t num_tail_nonzeros, const Stream& stream);

  std::int64_t num_rows;
  std::int32_t ell_width;
  std::int32_t ell_stride;
  std::int64_t num_nonzeros;
  std::int64_t num_tail_nonzeros;
  DeviceArray<ColumnIndex> ell_columns;
  DeviceArray<double> ell_values;
  DeviceArray<std::int32_t> row_counts;
  DeviceArray<std::int32_t> ell_counts;  ///< empty: min(row_counts, ell_width)
  DeviceArray<std::int64_t> tail_offsets;
  DeviceArray<ColumnIndex> tail_columns;
  DeviceArray<double> tail_values;
};

/// Bytes of device memory that the matrix takes.
std::int64_t real_bytes(const DeviceHybridMatrix& a);

/// Enqueues y = A x on `stream` and returns; see cisolve::spmv for the contract. x and y are n x k, for
/// any k; x must not overlap y. Repeatable to the last bit for the same configuration. The paper's
/// Algorithm 7 with shuffles for its shared-memory tree, and padding never read.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
/// @see M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45, doi:10.3390/computation6030045
void spmv(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config = {});

/// The same by one thread per row and column, nonzeros in storage order: the definition on the device.
void spmv_plainly(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y);

}  // namespace cisolve::cuda
